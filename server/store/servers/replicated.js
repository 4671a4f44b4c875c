'use strict';

const { EVENTS } = require('../../events');
const { unavailable } = require('../../errors');
const { DataVersion } = require('./data-version');
const { SHORT_PAGE_ROWS } = require('../database');
const { hedged } = require('./hedge');
const { authority, inOrder, mayAnswer, momentOf, suspectIfLate } = require('./server-choice');

/** A failure that took longer than this part of a long page's timeout stands: nobody waits for two timeouts. */
const RETRY_WITHIN = 0.5;

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {import('../database').Database} database
 * @property {import('./server-watcher').ServerWatcher} watcher
 * @property {number} suspectUntilMs of performance.now()
 */

/**
 * A replica near by and the primary, as one database and one data version. Who takes writes is asked, not
 * configured: after a promotion no worker has to be told. Reads go to the replica while its rows are those of
 * the version that the reader names. The data version is that of the server that takes writes; of another while there is none.
 */
class ReplicatedDatabase extends DataVersion {
  /** @type {Server[]} */
  #servers;
  #events;
  #maxLagMs;
  #hedgeMs;
  #retryWithinMs;
  #readsFrom = '';
  #timeline = 0;

  /**
   * @param {import('../../config/config').Config} config
   * @param {import('../../events').Events} events
   * @param {(role: 'replica' | 'primary', changed: () => void) => Omit<Server, 'suspectUntilMs'>} makeServer
   */
  constructor(config, events, makeServer) {
    super(events);
    this.#events = events;
    this.#maxLagMs = config.REPLICA_MAX_LAG_MS;
    this.#hedgeMs = config.REPLICA_HEDGE_MS;
    this.#retryWithinMs = config.PG_BULK_QUERY_TIMEOUT_MS * RETRY_WITHIN;
    const roles = /** @type {const} */ (['replica', 'primary']);
    this.#servers = roles.map((role) => ({
      ...makeServer(role, () => this.#updateVersion()),
      suspectUntilMs: 0,
    }));
  }

  open() {
    for (const { database, watcher } of this.#servers) {
      database.open();
      watcher.open();
    }
  }

  async close() {
    await Promise.all(this.#servers.flatMap(({ database, watcher }) => [database.close(), watcher.close()]));
  }

  get ready() {
    return this.#servers.some(({ database }) => database.ready);
  }

  get live() {
    return this.#servers.some(({ watcher }) => watcher.status !== null);
  }

  get empty() {
    return this.#servers.some(({ watcher }) => watcher.empty);
  }

  /** Lanes of both, those of the replica under names of their own. */
  get lanes() {
    const [replica, primary] = this.#servers.map(({ database }) => database.lanes);
    return { ...primary, 'replica-short': replica.short, 'replica-bulk': replica.bulk };
  }

  /** @param {import('../database').DocumentRoute} route @param {number} id @param {string} version */
  document(route, id, version) {
    return this.#read(version, (database) => database.document(route, id));
  }

  /** @param {{ firstId: number, skip: number }} start @param {number} count @param {string} version */
  pageAt(start, count, version) {
    return this.#read(version, (database) => database.pageAt(start, count), count);
  }

  /** @param {number} afterId @param {number} count @param {string} version */
  pageAfter(afterId, count, version) {
    return this.#read(version, (database) => database.pageAfter(afterId, count), count);
  }

  /** @param {string} version */
  pageBlocks(version) {
    return this.#read(version, (database) => database.pageBlocks());
  }

  /**
   * @template T
   * @param {string} version the one in the key that the answer will stand under
   * @param {(database: import('../database').Database) => Promise<T>} ask
   * @param {number} [rows]
   * @returns {Promise<T>}
   */
  async #read(version, ask, rows = 1) {
    const able = this.#servers.filter((server) => mayAnswer(server, version, this.#timeline));
    const [first, second] = inOrder(able, this.#maxLagMs, performance.now());
    if (!first) throw unavailable('The database is away.');
    this.#noteReadsFrom(first);
    if (!second) return ask(first.database);
    return hedged(
      () => ask(first.database),
      () => ask(second.database),
      {
        delayMs: this.#hedgeMs,
        mayAskSecond: () => suspectIfLate(first, rows > SHORT_PAGE_ROWS, performance.now()),
        retryWithinMs: this.#retryWithinMs,
      },
    );
  }

  /** @param {Server} server */
  #noteReadsFrom({ name }) {
    if (name === this.#readsFrom) return;
    this.#readsFrom = name;
    this.#events.emit(EVENTS.readsMoved, name);
  }

  /**
   * While the authority is silent for a moment only a replica that is ahead of its last word speaks for it: with another's callers
   * would see the new catalog, an older one and the new one again. (A standby that was never rewound would count as ahead: the runbook
   * has it made anew.)
   */
  #updateVersion() {
    const says = authority(this.#servers.map(({ watcher }) => watcher.status));
    const known = authority(this.#servers.map(({ watcher }) => watcher.known));
    this.#timeline = known?.timeline ?? 0;
    if (!says || !known) return;
    const isAhead = says.recovering && momentOf(says.token) > momentOf(known.token);
    if (says === known || isAhead) this.take(says.token, 'database');
  }
}

exports.ReplicatedDatabase = ReplicatedDatabase;
