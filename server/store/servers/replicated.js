'use strict';

const { unavailable } = require('../../core/errors');
const { rowsOf, SHORT_PAGE_ROWS } = require('../../core/policy');
const { inOrder, mayAnswer, suspectIfLate } = require('./server-choice');

/**
 * Queries one server, and the next one when it fails or is silent for too long; the first good answer counts.
 * J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56 (2013): a hedged request.
 * @template T
 * @param {(() => Promise<T>)[]} queries of two servers or more, in order of preference
 * @param {object} options
 * @param {number} options.delayMs mayAskNext is called after each such silence of the server that was queried last
 * @param {(index: number) => boolean} options.mayAskNext whether that one is late, so that it is time to query the next
 * @param {number} options.retryWithinMs a failure that took longer is final, unless another server is being queried
 * @returns {Promise<T>} rejects with the first one's error when all that were queried fail
 */
function hedged(queries, { delayMs, mayAskNext, retryWithinMs }) {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    let [asked, failed] = [0, 0];
    /** @type {unknown} */
    let firstError;
    const timer = setInterval(() => mayAskNext(asked - 1) && ask(), delayMs);
    const ask = () => {
      const index = asked;
      asked += 1;
      if (asked === queries.length) clearInterval(timer);
      queries[index]().then(
        (answer) => {
          clearInterval(timer);
          resolve(answer);
        },
        (error) => {
          if (index === 0) firstError = error;
          failed += 1;
          if (asked < queries.length && performance.now() - startedMs < retryWithinMs) ask();
          else if (failed === asked) {
            clearInterval(timer);
            reject(firstError);
          }
        },
      );
    };
    ask();
  });
}

/** A failure that took longer than this part of a long page's timeout is final: no read waits for two timeouts. */
const RETRY_WITHIN = 0.5;

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {import('../database').Database} database
 * @property {import('./watcher').ServerWatcher} watcher
 * @property {number} suspectUntilMs of performance.now()
 */

/**
 * The reads of several servers. They go to the nearest one that has the version and the commit of the stamp that the read names.
 */
class ReplicatedDatabase {
  #servers;
  #version;
  #events;
  #maxLagMs;
  #hedgeMs;
  #retryWithinMs;
  #readsFrom = '';

  /**
   * @param {object} parts
   * @param {import('../../config/config').Config} parts.config
   * @param {import('../../core/events').Events} parts.events
   * @param {Server[]} parts.servers nearest first
   * @param {{ timeline: number, era: number }} parts.version
   */
  constructor({ config, events, servers, version }) {
    this.#servers = servers;
    this.#version = version;
    this.#events = events;
    this.#maxLagMs = config.REPLICA_MAX_LAG_MS;
    this.#hedgeMs = config.REPLICA_HEDGE_MS;
    this.#retryWithinMs = config.PG_BULK_QUERY_TIMEOUT_MS * RETRY_WITHIN;
  }

  get ready() {
    return this.#servers.some(({ database }) => database.ready);
  }

  /** @param {import('../database').DocumentRoute} route @param {number} id @param {string} stamp */
  document(route, id, stamp) {
    return this.#read(stamp, (database) => database.document(route, id, stamp));
  }

  /** @param {number[]} ids @param {string} include @param {string} stamp */
  batch(ids, include, stamp) {
    return this.#read(stamp, (database) => database.batch(ids, include), rowsOf(ids.length, include));
  }

  /** @param {number[]} ids @param {string} include @param {string} stamp */
  skus(ids, include, stamp) {
    return this.#read(stamp, (database) => database.skus(ids, include), ids.length);
  }

  /** @param {string} field @param {string[]} values @param {string} include @param {number} most @param {string} stamp */
  skusByField(field, values, include, most, stamp) {
    return this.#read(stamp, (database) => database.skusByField(field, values, include, most));
  }

  /** @param {{ firstId: number, skip: number }} start @param {number} count @param {string} include @param {string} stamp */
  pageAt(start, count, include, stamp) {
    return this.#read(stamp, (database) => database.pageAt(start, count, include), rowsOf(count, include));
  }

  /** @param {number} afterId @param {number} count @param {string} include @param {string} stamp */
  pageAfter(afterId, count, include, stamp) {
    return this.#read(stamp, (database) => database.pageAfter(afterId, count, include), rowsOf(count, include));
  }

  /** @param {Parameters<import('../database').Database['countedPage']>[0]} start @param {number} count @param {string} include @param {string} stamp */
  countedPage(start, count, include, stamp) {
    return this.#read(stamp, (database) => database.countedPage(start, count, include), rowsOf(count, include));
  }

  /** @param {import('../../core/policy').ExportView} view @param {number} afterId @param {number} count @param {string} stamp */
  exportPiece(view, afterId, count, stamp) {
    return this.#read(stamp, (database) => database.exportPiece(view, afterId, count), SHORT_PAGE_ROWS + 1);
  }

  /** @param {{ firstId: number, skip: number }} start @param {number} count @param {string} stamp */
  sitemapPiece(start, count, stamp) {
    return this.#read(stamp, (database) => database.sitemapPiece(start, count), SHORT_PAGE_ROWS + 1);
  }

  /** @template T @param {(reads: import('../search-reads').SearchReads) => Promise<T>} query @param {string} stamp */
  ofSearch(query, stamp) {
    return this.#read(stamp, (database) => database.ofSearch(query), SHORT_PAGE_ROWS + 1);
  }

  /** @param {string} stamp */
  pageBlocks(stamp) {
    return this.#read(stamp, (database) => database.pageBlocks());
  }

  /**
   * @template T
   * @param {string} stamp in the key that the answer is cached under
   * @param {(database: import('../database').Database) => Promise<T>} query
   * @param {number} [rows]
   * @returns {Promise<T>}
   */
  async #read(stamp, query, rows = 1) {
    const able = this.#servers.filter((server) => mayAnswer(server, stamp, this.#version));
    const servers = inOrder(able, this.#maxLagMs, performance.now());
    if (servers.length === 0) throw unavailable('The database cannot be reached.');
    this.#noteReadsFrom(servers[0]);
    if (servers.length === 1) return query(servers[0].database);
    return hedged(
      servers.map(
        ({ database }) =>
          () =>
            query(database),
      ),
      {
        delayMs: this.#hedgeMs,
        mayAskNext: (index) => suspectIfLate(servers[index], rows > SHORT_PAGE_ROWS, performance.now()),
        retryWithinMs: this.#retryWithinMs,
      },
    );
  }

  /** @param {Server} server */
  #noteReadsFrom({ name }) {
    if (name === this.#readsFrom) return;
    this.#readsFrom = name;
    this.#events.emit('readsMoved', name);
  }
}

exports.hedged = hedged;
exports.ReplicatedDatabase = ReplicatedDatabase;
