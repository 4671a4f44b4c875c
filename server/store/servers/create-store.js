'use strict';

const { nameOf, serversOf } = require('../../core/dsn');
const { Database } = require('../database');
const { Dialer } = require('../dialer');
const { DataVersion } = require('./data-version');
const { ReplicatedDatabase } = require('./replicated');
const { ServerWatcher } = require('./watcher');

/** A server that is silent for this long is asked last until it answers. Its queries continue: it may only have stalled. */
const SILENT_MS = 500;

/**
 * The servers of DATABASE_URL. One alone answers every read: there is no other to choose, so it counts as silent only when its query
 * times out.
 * @param {import('../../config/config').Config} config
 * @param {import('../../core/events').Events} events
 * @param {() => string} [comment] SQL comment of the request that is being answered
 * @returns `dialed` reports whether a server has given all the connections that were requested from it
 */
function createStore(config, events, comment) {
  const urls = serversOf(config.DATABASE_URL);
  const silentMs = urls.length === 1 ? config.PG_QUERY_TIMEOUT_MS : SILENT_MS;
  const servers = urls.map((url) => {
    const name = nameOf(url);
    // One each: a server that is away would keep the others' connections waiting.
    const dialer = new Dialer(events, name);
    const own = { config: { ...config, DATABASE_URL: url }, events, dialer, server: name };
    const database = new Database({ ...own, comment });
    const watcher = new ServerWatcher({ ...own, silentMs, silent: () => database.giveUpLongPages() });
    return { name, dialer, database, watcher, suspectUntilMs: 0 };
  });
  const watchers = servers.map(({ watcher }) => watcher);
  const version = new DataVersion(events, watchers);
  return {
    servers,
    database: servers.length === 1 ? servers[0].database : new ReplicatedDatabase({ config, events, servers, version }),
    version,
    dialed: () => servers.some(({ dialer }) => dialer.idle),
    lanes: () => servers.flatMap(({ database }) => Object.values(database.lanes)),
    states: () => Object.fromEntries(servers.map(({ name, watcher }) => [name, stateOf(watcher)])),
    part: {
      name: 'database',
      open() {
        for (const { database, watcher } of servers) {
          database.open();
          watcher.open();
        }
      },
      async close() {
        await Promise.all(servers.flatMap(({ database, watcher }) => [database.close(), watcher.close()]));
        for (const { dialer } of servers) dialer.close();
      },
    },
  };
}

/** For people. @param {Pick<ServerWatcher, 'status' | 'empty' | 'outdated'>} watcher */
function stateOf({ status, empty, outdated }) {
  if (status) return status.recovering ? `replica, ${status.lagMs} ms behind` : 'primary';
  if (outdated) return 'outdated';
  return empty ? 'empty' : 'away';
}

exports.createStore = createStore;
