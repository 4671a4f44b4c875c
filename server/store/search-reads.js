'use strict';

const { isNotLoaded } = require('./failures');
const { asciiJson } = require('./ascii-json');
const queries = require('./queries');
const { toGone, toWritten } = require('./written-rows');

/** In the order of the columns of search_blobs.sql. */
const BLOBS = ['ids', 'price_order', 'prices', 'name_order', 'words', 'facets', 'language', 'spellings', 'fields'];
/** PostgreSQL's text has no NUL, and JSON sent to it may not name one. No key is empty. */
const NO_KEY = '';

/** @typedef {import('../internals/pg/statement').Row} Row */

/** @param {Buffer | null} field */
const numberOf = (field) => (field === null ? null : Number(String(field)));

/** The reads of a search, in a lane of their own: a first search of a load reads megabytes. */
class SearchReads {
  #lane;

  /** @param {import('./lane').Lane} lane */
  constructor(lane) {
    this.#lane = lane;
  }

  /** @returns {Promise<boolean>} whether the load was made with search */
  async exists() {
    return (await this.#rowIfAny(queries.searchExists)) !== null;
  }

  /** @returns {Promise<{ loadId: number, bodies: Map<string, Buffer> } | null>} null: the load was made without search */
  async blobs() {
    const row = await this.#rowIfAny(queries.searchBlobs);
    const loadId = row && numberOf(row[BLOBS.length]);
    if (row === null || loadId === null) return null;
    /** @type {Map<string, Buffer>} */
    const bodies = new Map();
    for (const [index, name] of BLOBS.entries()) if (row[index]) bodies.set(name, row[index]);
    return { loadId, bodies };
  }

  /**
   * @param {string} name of a scale, as field.weight_g
   * @returns {Promise<{ order: Buffer | null, values: Buffer | null, loadId: number | null }>} nulls: there is none
   */
  async scale(name) {
    const [order, values, loadId] = /** @type {Row} */ (await this.#lane.row(queries.searchScale, [name]));
    return { order, values, loadId: numberOf(loadId) };
  }

  /** How searches are tuned. @returns {Promise<import('../search/tuning/current-tuning').Stored>} */
  async tuning() {
    const [number, content, ranked] = /** @type {Row} */ (await this.#lane.row(queries.tuning, []));
    return { number: numberOf(number) ?? 0, content: content && JSON.parse(String(content)), ranked };
  }

  /**
   * A load of a release without search has no table for it.
   * @param {import('../internals/pg/statement').Statement} statement @param {(number | string)[]} values @returns {Promise<Row | null>}
   */
  async #rowIfAny(statement, values = []) {
    try {
      return await this.#lane.row(statement, values);
    } catch (error) {
      if (isNotLoaded(/** @type {Error} */ (error).cause ?? error)) return null;
      throw error;
    }
  }

  /**
   * @param {string[]} keys
   * @returns {Promise<{ minLoadId: number | null, maxLoadId: number | null, frame: Buffer | null }>} as search/set-frame.js reads it
   */
  async sets(keys) {
    const known = keys.map((key) => (key.includes('\0') ? NO_KEY : key));
    const row = /** @type {Row} */ (await this.#lane.row(queries.searchSets, [asciiJson(known)]));
    const [frame, minLoad, maxLoad] = row;
    return { frame, minLoadId: numberOf(minLoad), maxLoadId: numberOf(maxLoad) };
  }

  /**
   * Writes after a commit, -1: since the load. They are one state.
   * @param {number} after @param {number[]} ids of further products that are read @param {number} limit of products that were written
   * @returns {Promise<import('./written-rows').Written | null>} null: a load of a release without writes
   */
  async written(after, ids, limit) {
    const row = await this.#rowIfAny(queries.written, [after, `{${ids}}`, limit]);
    return row && toWritten(row);
  }

  /**
   * Products that are deleted or hidden.
   * @param {number} after a commit
   * @returns {Promise<import('./written-rows').Gone | null>} null: there is no later one
   */
  async gone(after) {
    const row = await this.#rowIfAny(queries.searchGone, [after]);
    return row && toGone(row);
  }

  /** @param {number[]} ids @returns {Promise<{ loadId: number | null, names: Map<number, string> }>} of the products that there are */
  async names(ids) {
    const [loadId, cards] = /** @type {Row} */ (await this.#lane.row(queries.searchNames, [`{${ids}}`]));
    /** @type {{ id: number, name: string }[]} */
    const named = JSON.parse(String(cards));
    return { loadId: numberOf(loadId), names: new Map(named.map(({ id, name }) => [id, name])) };
  }

  /**
   * @param {number[]} ids
   * @returns {Promise<{ body: Buffer, loadId: number | null }>} JSON array; loadId: of all of them, null when there is none or of two loads
   */
  async cards(ids) {
    const [body, minLoad, maxLoad] = /** @type {Row} */ (await this.#lane.row(queries.cardsById, [`{${ids}}`]));
    const [min, max] = [numberOf(minLoad), numberOf(maxLoad)];
    return { body: /** @type {Buffer} */ (body), loadId: min === max ? min : null };
  }
}

exports.SearchReads = SearchReads;
