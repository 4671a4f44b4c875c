'use strict';

const { withoutSearch } = require('../../core/errors');
const { Dictionary } = require('../text/dictionary');
const { Forms } = require('../text/forms');
const { Language } = require('../text/language');
const { Spellings } = require('../text/spellings');
const { Ids } = require('../orders/ids');
const { Order } = require('../orders/order');
const { OrdinalSet } = require('../sets/ordinal-set');
const { Prices } = require('../orders/prices');
const { SetCache } = require('../sets/set-cache');
const { wordsFor } = require('../sets/bits');

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

/**
 * @typedef {object} Parts of an index; those of a written catalog share what the write did not change
 * @property {number} loadId
 * @property {Ids} ids by ordinal
 * @property {OrdinalSet} all products, dense
 * @property {Order} byPrice @property {Order} byName
 * @property {Prices} prices
 * @property {Dictionary} dictionary
 * @property {Forms} forms of its words
 * @property {Spellings} spellings of the load
 * @property {Map<string, FacetValues>} facets by name, in the order of the load
 * @property {Map<string, number>} features products of each, by name
 * @property {SetCache} sets of the load
 * @property {Int32Array[]} spare arrays that finished searches leave for later ones
 * @property {import('../delta/set-deltas').SetDeltas | null} deltas what makes sets of the load those of now; null: nothing was written
 */

/** The search tables of a load, in memory; its sets are read when they are needed. */
class SearchIndex {
  #spare;

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.loadId = parts.loadId;
    this.ids = parts.ids;
    this.all = parts.all;
    this.size = parts.all.size;
    this.byPrice = parts.byPrice;
    this.byName = parts.byName;
    this.prices = parts.prices;
    this.dictionary = parts.dictionary;
    this.forms = parts.forms;
    this.spellings = parts.spellings;
    this.facets = parts.facets;
    this.sets = parts.sets;
    this.deltas = parts.deltas;
    this.#spare = parts.spare;
  }

  /**
   * @param {Reader} reader
   * @param {{ version: string, maxBytes: number, turn: import('../query-context').Turn }} options
   * @throws {import('../../core/errors').Problem} 503 when the load was made without search
   */
  static async read(reader, { version, maxBytes, turn }) {
    const found = await reader.blobs(version);
    if (!found) throw withoutSearch();
    const { loadId, bodies } = found;
    const [ids, priceOrder, prices, nameOrder, words, facets] = BLOBS.map((name) => {
      const body = bodies.get(name);
      if (!body) throw new Error(`search_blobs has no ${name}. Load the data again.`);
      return body;
    });
    await turn.next();
    const size = ids.length / 4;
    const sets = new SetCache({ read: (keys) => readFrame(reader, version, loadId, keys), size, maxBytes });
    const dictionary = await Dictionary.parse(words, () => turn.pause());
    // A load of an earlier release names none.
    const language = new Language(bodies.get('language')?.toString() ?? 'none');
    const forms = await Forms.read(language, dictionary, () => turn.pause());
    const priceList = new Prices(prices, size);
    await turn.pause();
    const byPrice = new Order('price', integers(priceOrder), sets);
    await turn.pause();
    const byName = new Order('name', integers(nameOrder), sets);
    await turn.pause();
    /** @type {[name: string, values: FacetValues, products?: number][]} `products`: of a feature; not in loads of an earlier release */
    const values = JSON.parse(facets.toString());
    return new SearchIndex({
      loadId,
      ids: new Ids(integers(ids)),
      all: OrdinalSet.all(size),
      byPrice,
      byName,
      prices: priceList,
      dictionary,
      forms,
      spellings: new Spellings(bodies.get('spellings') ?? Buffer.alloc(0)),
      sets,
      deltas: null,
      spare: [],
      facets: new Map(values.map(([name, list]) => [name, list])),
      features: new Map(values.map(([name, [most], products = most?.[1] ?? 0]) => [name, products])),
    });
  }

  /** @returns {Int32Array} of as many words as dense bits have, with any content */
  takeArray() {
    return this.#spare.pop() ?? new Int32Array(wordsFor(this.size));
  }

  /** @param {Int32Array[]} arrays that no set is made of any more */
  giveArrays(arrays) {
    this.#spare.push(...arrays.slice(0, MAX_SPARE - this.#spare.length));
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
