'use strict';

const { Database } = require('../database');
const { Dialer } = require('../dialer');
const { DataVersion } = require('./data-version');
const { ReplicatedDatabase } = require('./replicated');
const { ServerWatcher } = require('./watcher');

/** A server that is silent for this long is asked last until it answers. Its queries continue: it may only have stalled. */
const SILENT_MS = 500;

/**
 * One server, or a replica and its primary. One alone answers every read: there is no other to choose, so it counts as silent only
 * when its query times out.
 * @param {import('../../config/config').Config} config
 * @param {import('../../events').Events} events
 * @param {() => string} [comment] SQL comment of the request that is being answered
 * @returns `dialed` reports whether a server has given all the connections that were requested from it
 */
function createStore(config, events, comment) {
  const alone = !config.REPLICA_DATABASE_URL;
  const silentMs = alone ? config.PG_QUERY_TIMEOUT_MS : SILENT_MS;
  /** @param {'replica' | 'primary'} name @param {string} address @param {string} [prefix] as ReplicatedDatabase names the lanes */
  const server = (name, address, prefix) => {
    // One each: a server that is away would keep the other's connections waiting.
    const dialer = new Dialer(events);
    const own = { config: { ...config, DATABASE_URL: address }, events, dialer, prefix };
    const database = new Database({ ...own, comment });
    const watcher = new ServerWatcher({ ...own, silentMs, silent: () => database.giveUpLongPages() });
    return { name, dialer, database, watcher, suspectUntilMs: 0 };
  };
  const primary = server('primary', config.DATABASE_URL);
  const servers = alone ? [primary] : [server('replica', config.REPLICA_DATABASE_URL, 'replica-'), primary];
  const watchers = servers.map(({ watcher }) => watcher);
  const version = new DataVersion(events, watchers);
  return {
    database: alone ? primary.database : new ReplicatedDatabase({ config, events, servers, version }),
    version,
    dialed: () => servers.some(({ dialer }) => dialer.idle),
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

exports.createStore = createStore;
