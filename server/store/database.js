'use strict';

const { BytesClient } = require('../internals/pg/bytes-client');
const { SHORT_PAGE_ROWS } = require('../policy');
const { Connection } = require('./connection');
const { connectionOptions } = require('./connection-options');
const { Lane } = require('./lane');
const queries = require('./queries');

/** @typedef {'product' | 'styles' | 'related'} DocumentRoute whose replies the load has made */
/**
 * @typedef {object} Page
 * @property {Buffer} body JSON array
 * @property {number | null} lastId null when the page is empty
 * @property {boolean} more whether there are rows after it
 * @property {number | null} loadId the load that all of it comes from; null when empty or of two loads
 */

/** The queries of the catalog, each answered with bytes that are ready to send. */
class Database {
  /**
   * @param {object} parts
   * @param {import('../config/config').Config} parts.config
   * @param {import('../events').Events} parts.events
   * @param {import('./dialer').Dialer} parts.dialer
   * @param {() => string} [parts.comment] SQL comment of the request that is being answered
   * @param {string} [parts.prefix] of its lanes' names in logs and metrics, when there are two servers
   */
  constructor({ config, events, dialer, comment = () => '', prefix = '' }) {
    const lane = (/** @type {'short' | 'bulk'} */ name, /** @type {number} */ size, /** @type {number} */ maxWork) =>
      new Lane({
        name: prefix + name,
        events,
        comment,
        connections: Array.from({ length: size }, (_, index) => {
          const makeClient = () =>
            new BytesClient({
              ...connectionOptions(config, name),
              pipeline: true,
              unprepared: config.PG_POOLED,
            });
          const rank = 2 * index + (name === 'short' ? 1 : 2); // one of each lane before the second of one
          return new Connection({ lane: prefix + name, dialer, makeClient, events, rank });
        }),
        maxWork,
        queryTimeoutMs: connectionOptions(config, name).query_timeout,
      });
    this.lanes = {
      short: lane('short', config.PG_SHORT_CONNECTIONS, config.PG_SHORT_IN_FLIGHT),
      long: lane('bulk', config.PG_BULK_CONNECTIONS, config.PG_BULK_ROWS_IN_FLIGHT),
    };
  }

  get ready() {
    return this.lanes.short.ready > 0;
  }

  open() {
    this.lanes.short.open();
    this.lanes.long.open();
  }

  /** For a server that does not answer: no read waits for the whole time that a long page may take. */
  giveUpLongPages() {
    this.lanes.long.drop();
  }

  async close() {
    await Promise.all([this.lanes.short.close(), this.lanes.long.close()]);
  }

  /**
   * @param {DocumentRoute} route
   * @param {number} id
   * @returns {Promise<{ body: Buffer } | null>} null when there is no such product
   */
  async document(route, id) {
    const row = await this.lanes.short.row(queries[route], [id]);
    return row && { body: /** @type {Buffer} */ (row[0]) };
  }

  /**
   * @param {{ firstId: number, skip: number }} start
   * @param {number} count
   * @returns {Promise<Page>}
   */
  pageAt({ firstId, skip }, count) {
    return this.#page(count, queries.page, [firstId, skip, count]);
  }

  /** @param {number} afterId @param {number} count @returns {Promise<Page>} */
  pageAfter(afterId, count) {
    return this.#page(count, queries.after, [afterId, count]);
  }

  /** @returns {Promise<{ firstIds: number[], rows: number[], loadId: number | null }>} */
  async pageBlocks() {
    const [firstIds, rows, minLoad, maxLoad] = fields(await this.lanes.short.row(queries.pageBlocks, []));
    return {
      firstIds: JSON.parse(String(firstIds)),
      rows: JSON.parse(String(rows)),
      loadId: oneLoad(minLoad, maxLoad),
    };
  }

  /** @param {number} count @param {import('../internals/pg/statement').Statement} statement @param {number[]} values */
  async #page(count, statement, values) {
    const { short, long } = this.lanes;
    const row = count > SHORT_PAGE_ROWS ? long.row(statement, values, count) : short.row(statement, values);
    return toPage(await row);
  }
}

/** @param {import('../internals/pg/statement').Row | null} row of an aggregate: there always is one */
const fields = (row) => /** @type {import('../internals/pg/statement').Row} */ (row);

/** @param {Buffer | null} min @param {Buffer | null} max */
const oneLoad = (min, max) => (min && max && min.equals(max) ? Number(String(min)) : null);

/** @param {import('../internals/pg/statement').Row | null} row @returns {Page} */
function toPage(row) {
  const [body, lastId, more, minLoad, maxLoad] = fields(row);
  return {
    body: /** @type {Buffer} */ (body),
    lastId: lastId && Number(String(lastId)),
    more: String(more) === 't',
    loadId: oneLoad(minLoad ?? null, maxLoad ?? null),
  };
}

exports.Database = Database;
exports.SHORT_PAGE_ROWS = SHORT_PAGE_ROWS;
