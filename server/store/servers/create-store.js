'use strict';

const { Database } = require('../database');
const { Dialer } = require('../dialer');
const { ReplicatedDatabase } = require('./replicated');
const { ServerWatcher } = require('./server-watcher');
const { VersionWatcher } = require('./version-watcher');

/**
 * One server, or a replica and its primary. One alone is asked for its version only, and what it said last holds while it is silent:
 * there is nobody else to choose. Of two, each has a dialer of its own: one that is away would keep the other's connections
 * waiting for their turn.
 * @param {import('../../config/config').Config} config
 * @param {import('../../events').Events} events
 * @param {() => string} [comment] SQL comment of the request that is being answered
 * @returns `dialed` says whether a server has given all the connections that were asked of it
 */
function createStore(config, events, comment) {
  if (!config.REPLICA_DATABASE_URL) {
    const dialer = new Dialer(events);
    const database = new Database({ config, events, dialer, comment });
    const version = new VersionWatcher({ config, events, dialer, silent: () => database.giveUpLongPages() });
    return {
      database,
      version,
      dialed: () => dialer.idle,
      parts: [dialerPart(dialer), named('database', database), named('version', version)],
    };
  }
  /** @type {Dialer[]} */
  const dialers = [];
  const replicated = new ReplicatedDatabase(config, events, (role, changed) => {
    const address = role === 'replica' ? config.REPLICA_DATABASE_URL : config.DATABASE_URL;
    const dialer = new Dialer(events);
    dialers.push(dialer);
    const own = {
      config: { ...config, DATABASE_URL: address },
      events,
      dialer,
      prefix: role === 'replica' ? 'replica-' : '', // as ReplicatedDatabase names their lanes
    };
    const database = new Database({ ...own, comment });
    const watcher = new ServerWatcher({ ...own, changed, silent: () => database.giveUpLongPages() });
    return { name: role, database, watcher };
  });
  return {
    database: replicated,
    version: replicated,
    dialed: () => dialers.some(({ idle }) => idle),
    parts: [...dialers.map(dialerPart), named('database', replicated)],
  };
}

/** @param {Dialer} dialer */
const dialerPart = (dialer) => ({ name: 'dialer', open: () => {}, close: () => dialer.close() });

/** @param {string} name @param {{ open: () => void, close: () => Promise<void> }} part */
const named = (name, part) => ({ name, open: () => part.open(), close: () => part.close() });

exports.createStore = createStore;
