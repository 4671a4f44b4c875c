'use strict';

const { withoutSearch } = require('../errors');
const { Dictionary } = require('./dictionary');
const { Order } = require('./order');
const { PositionSet } = require('./position-set');
const { Prices } = require('./prices');
const { SetCache } = require('./set-cache');
const { wordsFor } = require('./bits');

const BLOBS = ['ids', 'price_order', 'prices', 'name_order', 'words', 'facets'];
/** Arrays that finished searches leave for later ones. */
const MAX_SPARE = 32;

/** The sets come from another load than the rest of the index. */
class OtherLoad extends Error {}

/** @typedef {[value: string, count: number][]} FacetValues products of each value, descending */
/**
 * @typedef {object} Reader reads the tables of a load; every read names the data version, as a replica may be behind it
 * @property {(version: string) => Promise<{ loadId: number, bodies: Map<string, Buffer> } | null>} blobs
 *   all rows of search_blobs, read by one statement; null: the load was made without search
 * @property {(version: string, keys: string[]) => Promise<{ minLoadId: number | null, maxLoadId: number | null, frame: Buffer | null }>} sets
 *   all rows of search_sets with these keys as one frame (see set-frame.js); nulls: there is none
 */

/** What a load has prepared for search, in memory; its sets are read when they are needed. */
class SearchIndex {
  /** @type {Int32Array[]} */
  #spare = [];
  /** @type {Map<string, FacetValues>} by name, in the order of the load */
  facets;

  /**
   * @param {object} parts
   * @param {number} parts.loadId
   * @param {Int32Array} parts.ids by position
   * @param {Order} parts.byPrice
   * @param {Order} parts.byName
   * @param {Prices} parts.prices
   * @param {Dictionary} parts.dictionary
   * @param {[string, FacetValues][]} parts.facets
   * @param {SetCache} parts.sets
   */
  constructor({ loadId, ids, byPrice, byName, prices, dictionary, facets, sets }) {
    this.loadId = loadId;
    this.ids = ids;
    this.size = ids.length;
    this.byPrice = byPrice;
    this.byName = byName;
    this.prices = prices;
    this.dictionary = dictionary;
    this.facets = new Map(facets);
    this.sets = sets;
    this.all = PositionSet.all(this.size);
  }

  /**
   * @param {Reader} reader
   * @param {{ version: string, maxBytes: number, pace: import('./turns').Pace }} options
   * @throws {import('../errors').Problem} 503 when the load was made without search
   */
  static async read(reader, { version, maxBytes, pace }) {
    const found = await reader.blobs(version);
    if (!found) throw withoutSearch();
    const { loadId, bodies } = found;
    const [ids, priceOrder, prices, nameOrder, words, facets] = BLOBS.map((name) => {
      const body = bodies.get(name);
      if (!body) throw new Error(`search_blobs has no ${name}. Load the data again.`);
      return body;
    });
    await pace.turn();
    const size = ids.length / 4;
    const sets = new SetCache({ read: (keys) => readFrame(reader, version, loadId, keys), size, maxBytes });
    const dictionary = await Dictionary.parse(words, () => pace.pause());
    await pace.pause();
    const priceList = new Prices(prices, size);
    await pace.pause();
    const byPrice = new Order('price', integers(priceOrder), sets);
    await pace.pause();
    const byName = new Order('name', integers(nameOrder), sets);
    await pace.pause();
    const read = { byPrice, byName, prices: priceList, dictionary, facets: JSON.parse(facets.toString()), sets };
    return new SearchIndex({ loadId, ids: integers(ids), ...read });
  }

  /** @returns {Int32Array} of as many words as dense bits have, with any content */
  takeArray() {
    return this.#spare.pop() ?? new Int32Array(wordsFor(this.size));
  }

  /** @param {Int32Array[]} arrays that no set is made of any more */
  giveArrays(arrays) {
    this.#spare.push(...arrays.slice(0, MAX_SPARE - this.#spare.length));
  }

  /** The first position whose id is at least `id`. @param {number} id */
  positionOf(id) {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle] < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param {Reader} reader @param {string} version @param {number} loadId @param {string[]} keys */
async function readFrame(reader, version, loadId, keys) {
  const { minLoadId, maxLoadId, frame } = await reader.sets(version, keys);
  if (!frame) return Buffer.alloc(0);
  if (minLoadId !== loadId || maxLoadId !== loadId) throw new OtherLoad();
  return frame;
}

/** @param {Buffer} body big-endian int4 @returns {Int32Array} */
function integers(body) {
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  copy.swap32();
  return new Int32Array(copy.buffer);
}

exports.OtherLoad = OtherLoad;
exports.SearchIndex = SearchIndex;
