'use strict';

const { compareDecimals } = require('../../core/decimals');
const { withoutSearch } = require('../../core/errors');
const { compareOf } = require('../../core/field-range');
const { FIELD } = require('../../core/policy');
const { Dictionary } = require('../text/dictionary');
const { Forms } = require('../text/forms');
const { Language } = require('../text/language');
const { Spellings } = require('../text/spellings');
const { Ids } = require('../orders/ids');
const { Order } = require('../orders/order');
const { OrdinalSet } = require('../sets/ordinal-set');
const { Scale } = require('../orders/scale');
const { ScaleValues } = require('../orders/scale-values');
const { SetCache } = require('../sets/set-cache');
const { wordsFor } = require('../sets/bits');

const BLOBS = ['ids', 'price_order', 'prices', 'name_order', 'words', 'facets'];
/** The scale that each index has from the beginning. That of a declared field is read when it is needed, under its parameter's name. */
const PRICE = 'price';
/** Arrays that finished searches leave for later ones. */
const MAX_SPARE = 32;

/** The sets come from another load than the rest of the index. */
class OtherLoad extends Error {}

/** @typedef {import('../../core/field-range').Field} Field @typedef {import('../query-context').Turn} Turn */
/** @typedef {[value: string, count: number][]} FacetValues products of each value, descending */
/**
 * @typedef {object} Reader reads the tables of a load; every read names the data version, as a replica may be behind it
 * @property {(version: string) => Promise<{ loadId: number, bodies: Map<string, Buffer> } | null>} blobs
 *   all rows of search_blobs, read by one statement; null: the load was made without search
 * @property {(version: string, keys: string[]) => Promise<{ minLoadId: number | null, maxLoadId: number | null, frame: Buffer | null }>} sets
 *   all rows of search_sets with these keys as one frame (see set-frame.js); nulls: there is none
 * @property {(version: string, name: string) => Promise<{ loadId: number | null, order: Buffer | null, values: Buffer | null }>} scale
 *   of a declared field
 */

/**
 * @typedef {object} Parts of an index; those of a written catalog share what the write did not change
 * @property {number} loadId
 * @property {Ids} ids by ordinal
 * @property {OrdinalSet} all products, dense
 * @property {Order} byName
 * @property {Map<string, Scale>} scales by name: those that were read
 * @property {(name: string, field: Field, turn: Turn) => Promise<Scale>} readScale that of the load
 * @property {Map<string, Field>} fields of the shop's own, by name
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
  /** @type {Map<string, Promise<Scale>>} */
  #reading = new Map();

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.loadId = parts.loadId;
    this.ids = parts.ids;
    this.all = parts.all;
    this.size = parts.all.size;
    this.byName = parts.byName;
    this.fields = parts.fields;
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
    await turn.pause();
    // A load of an earlier release names none.
    const language = new Language(bodies.get('language')?.toString() ?? 'none');
    const compare = compareDecimals;
    const byPrice = await scaleOf({ name: PRICE, order: priceOrder, values: prices }, { size, sets, turn, compare });
    const byName = new Order('name', integers(nameOrder), sets);
    await turn.pause();
    /** @type {[name: string, values: FacetValues, products?: number][]} `products`: of a feature; not in loads of an earlier release */
    const values = JSON.parse(facets.toString());
    return new SearchIndex({
      loadId,
      ids: new Ids(integers(ids)),
      all: OrdinalSet.all(size),
      byName,
      scales: new Map([[PRICE, byPrice]]),
      readScale: (name, field, own) => readScale(reader, version, { loadId, name, field, size, sets, turn: own }),
      fields: fieldsIn(bodies.get('fields')),
      dictionary,
      forms: new Forms(language, dictionary),
      spellings: new Spellings(bodies.get('spellings') ?? Buffer.alloc(0)),
      sets,
      deltas: null,
      spare: [],
      facets: new Map(values.map(([name, list]) => [name, list])),
      features: new Map(values.map(([name, [most], products = most?.[1] ?? 0]) => [name, products])),
    });
  }

  /** The scale of prices, or of a declared field that has one. @param {string} name @param {Turn} turn @returns {Promise<Scale>} */
  async scale(name, turn) {
    const ready = this.parts.scales.get(name);
    if (ready) return ready;
    let reading = this.#reading.get(name);
    if (!reading) {
      reading = this.#readScale(name, turn).finally(() => this.#reading.delete(name));
      this.#reading.set(name, reading);
    }
    const scale = await reading;
    await turn.next();
    return scale;
  }

  /** @param {string} name @param {Turn} turn */
  async #readScale(name, turn) {
    const { scales, readScale, fields, deltas, ids, sets } = this.parts;
    const field = /** @type {Field} */ (fields.get(name.slice(FIELD.length)));
    const loaded = await readScale(name, field, turn);
    const scale = await loaded.changed(deltas?.changesOf(name) ?? [], { ids, size: this.size, cache: sets, turn });
    scales.set(name, scale);
    return scale;
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

/**
 * @param {Reader} reader @param {string} version
 * @param {{ loadId: number, name: string, field: Field, size: number, sets: SetCache, turn: Turn }} wanted
 */
async function readScale(reader, version, { loadId, name, field, size, sets, turn }) {
  const { order, values, ...found } = await reader.scale(version, name);
  await turn.next();
  if (found.loadId !== loadId) throw new OtherLoad();
  if (!order || !values) throw new Error(`search_blobs has no scale of ${name}. Load the data again.`);
  return scaleOf({ name, order, values }, { size, sets, turn, compare: compareOf(field), field });
}

/**
 * @param {{ name: string, order: Buffer, values: Buffer }} blobs
 * @param {{ size: number, sets: SetCache, turn: Turn, compare: (a: string, b: string) => number, field?: Field }} options
 */
async function scaleOf({ name, order: body, values: lines }, { size, sets, turn, compare, field }) {
  const ordinals = integers(body);
  const pause = () => turn.pause();
  const values = await ScaleValues.parse(lines, {
    name: field ? `values.${name}` : 'prices',
    ranks: ordinals.length,
    compare,
    pause,
  });
  const order = new Order(name, ordinals, sets, { size, isWhole: !field });
  await turn.pause();
  return new Scale(name, order, values, compare, field !== undefined && field.of !== 'products');
}

/** @param {Buffer | undefined} body fields.json with all members @returns {Map<string, Field>} */
function fieldsIn(body) {
  /** @type {Record<string, Record<string, Omit<Field, 'name' | 'of'>>>} */
  const content = JSON.parse(body?.toString() ?? '{}');
  const tables = /** @type {[Field['of'], Record<string, Omit<Field, 'name' | 'of'>>][]} */ (Object.entries(content));
  return new Map(
    tables.flatMap(([of, fields]) => Object.entries(fields).map(([name, field]) => [name, { ...field, name, of }])),
  );
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
