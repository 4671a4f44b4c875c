'use strict';

const { BytesClient } = require('../internals/pg/bytes-client');
const { LARGE_INCLUDE_ROWS, SHORT_PAGE_ROWS, isLargeInclude } = require('../policy');
const { Connection } = require('./connection');
const { connectionOptions } = require('./connection-options');
const { Lane } = require('./lane');
const queries = require('./queries');
const { isMixed, toBatch, toBlocks, toPage, toPiece } = require('./rows');

/** @typedef {'product' | 'styles' | 'related'} DocumentRoute whose replies the load has made */

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
   * @param {number[]} ids
   * @param {string} include names by comma
   * @returns {Promise<import('./rows').Batch>} the products in the order of the ids; null for an unknown one
   */
  async batch(ids, include) {
    return toBatch(await this.#list(ids.length, include, queries.batch, [`{${include}}`, `{${ids}}`]));
  }

  /**
   * @param {{ firstId: number, skip: number }} start
   * @param {number} count
   * @param {string} include names by comma
   * @returns {Promise<import('./rows').Page>}
   */
  async pageAt({ firstId, skip }, count, include) {
    const own = [firstId, skip, count];
    return toPage(
      include
        ? await this.#list(count, include, queries.includedPage, [`{${include}}`, ...own])
        : await this.#list(count, '', queries.page, own),
    );
  }

  /** @param {number} afterId @param {number} count @param {string} include @returns {Promise<import('./rows').Page>} */
  async pageAfter(afterId, count, include) {
    if (include) return this.pageAt({ firstId: afterId + 1, skip: 0 }, count, include);
    return toPage(await this.#list(count, '', queries.after, [afterId, count]));
  }

  /**
   * Always in the long lane: documents do not wait for it.
   * @param {import('../policy').ExportView} view @param {number} afterId @param {number} count
   */
  async exportPiece(view, afterId, count) {
    return toPiece(await this.lanes.long.row(queries.exported[view], [afterId, count], count));
  }

  async pageBlocks() {
    return toBlocks(await this.lanes.short.row(queries.pageBlocks, []));
  }

  /**
   * @param {number} count @param {string} include
   * @param {import('../internals/pg/statement').Statement} statement @param {(number | string)[]} values
   */
  #list(count, include, statement, values) {
    const { short, long } = this.lanes;
    const rows = rowsOf(count, include);
    return rows > SHORT_PAGE_ROWS
      ? long.row(statement, values, rows, isMixed)
      : short.row(statement, values, 1, isMixed);
  }
}

/**
 * What a list weighs, in rows without includes: longer ones than SHORT_PAGE_ROWS have their own lane.
 * @param {number} count products @param {string} include names by comma
 */
const rowsOf = (count, include) => (isLargeInclude(include) ? count * LARGE_INCLUDE_ROWS : count);

exports.Database = Database;
exports.rowsOf = rowsOf;
exports.SHORT_PAGE_ROWS = SHORT_PAGE_ROWS;
