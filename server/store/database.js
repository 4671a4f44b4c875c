'use strict';

const { FULL_INCLUDE, SHORT_PAGE_ROWS, rowsOf } = require('../core/policy');
const { asciiJson } = require('./ascii-json');
const { createLanes } = require('./lanes');
const queries = require('./queries');
const { SearchReads } = require('./search-reads');
const { isMixed, toBatch, toBlocks, toCountedPage, toFullPiece, toPage, toPiece } = require('./rows');

/** @typedef {'product' | 'styles' | 'related' | 'hidden'} DocumentRoute whose replies the load has made; hidden: `true` for a product without any */

/** The queries of the catalog, each answered with bytes that are ready to send. */
class Database {
  #searchReads;

  /**
   * @param {object} parts
   * @param {import('../config/config').Config} parts.config
   * @param {import('../core/events').Events} parts.events
   * @param {import('./dialer').Dialer} parts.dialer
   * @param {() => string} [parts.comment] SQL comment of the request that is being answered
   * @param {string} [parts.server] its name in logs and metrics
   */
  constructor({ config, events, dialer, comment = () => '', server = '' }) {
    this.lanes = createLanes({ config, events, dialer, comment, server });
    this.#searchReads = new SearchReads(this.lanes.search);
  }

  get ready() {
    return this.lanes.short.ready > 0;
  }

  open() {
    for (const lane of Object.values(this.lanes)) lane.open();
  }

  /** For a server that does not answer: no read waits for the whole time that a long page may take. */
  giveUpLongPages() {
    this.lanes.long.drop();
    this.lanes.search.drop();
  }

  async close() {
    await Promise.all(Object.values(this.lanes).map((lane) => lane.close()));
  }

  /**
   * @param {DocumentRoute} route
   * @param {number} id
   * @param {string} stamp as in the key; it ends with 0 where nothing was written since the load
   * @returns {Promise<{ body: Buffer } | null>} null when there is no such product
   */
  async document(route, id, stamp) {
    const statement = route === 'styles' && !stamp.endsWith('.0') ? queries.writtenStyles : queries[route];
    const row = await this.lanes.short.row(statement, [id]);
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

  /** @param {number[]} ids @param {string} include names by comma @returns {Promise<{ body: Buffer }>} the skus, likewise */
  async skus(ids, include) {
    const row = await this.#list(ids.length, '', queries.skus, [`{${include}}`, `{${ids}}`], ofOneView);
    return { body: /** @type {Buffer} */ (row?.[0]) };
  }

  /**
   * @param {string} field a declared name @param {string[]} values @param {string} include names by comma @param {number} most
   * @returns {Promise<{ body: Buffer, count: number }>} the skus that have one of the values, in the order of their ids
   */
  async skusByField(field, values, include, most) {
    const wanted = [`{${include}}`, asciiJson(values), most];
    const [body, count] = /** @type {Buffer[]} */ (await this.lanes.short.row(queries.skusByField(field), wanted));
    return { body, count: Number(String(count)) };
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
   * @param {{ firstId: number, rowsBefore: number }} start one of them, 0 or -1 for the other @param {number} count @param {string} include
   * @returns {Promise<import('./rows').Page & { total: number }>} total: of all products, at the moment of the page
   */
  async countedPage({ firstId, rowsBefore }, count, include) {
    return toCountedPage(
      await this.#list(count, include, queries.countedPage, [`{${include}}`, firstId, rowsBefore, count]),
    );
  }

  /**
   * Always in the long lane: documents do not wait for it.
   * @param {import('../core/policy').ExportView} view @param {number} afterId @param {number} count
   */
  async exportPiece(view, afterId, count) {
    const { long } = this.lanes;
    if (view !== 'full') return toPiece(await long.row(queries.exported[view], [afterId, count], count));
    const values = [`{features,${FULL_INCLUDE}}`, afterId, count];
    return toFullPiece(await long.row(queries.exported.full, values, rowsOf(count, FULL_INCLUDE), isMixed));
  }

  /** @param {{ firstId: number, skip: number }} start @param {number} count */
  async sitemapPiece({ firstId, skip }, count) {
    return toPiece(await this.lanes.long.row(queries.sitemap, [firstId, skip, count], count));
  }

  /** @template T @param {(reads: SearchReads) => Promise<T>} query @returns {Promise<T>} */
  ofSearch(query) {
    return query(this.#searchReads);
  }

  async pageBlocks() {
    return toBlocks(await this.lanes.short.row(queries.pageBlocks, []));
  }

  /**
   * @param {number} count @param {string} include
   * @param {import('../internals/pg/statement').Statement} statement @param {(number | string)[]} values
   */
  #list(count, include, statement, values, isOfTwo = isMixed) {
    const { short, long } = this.lanes;
    const rows = rowsOf(count, include);
    return rows > SHORT_PAGE_ROWS
      ? long.row(statement, values, rows, isOfTwo)
      : short.row(statement, values, 1, isOfTwo);
  }
}

/** A view belongs to one load. */
const ofOneView = () => false;

exports.Database = Database;
