'use strict';

const { Order } = require('../orders/order');
const { wordsFor } = require('../sets/bits');
const { setOf } = require('../sets/set-algebra');
const { parseText, readText } = require('../text/query-text');

/** Ids of a rank that are looked up between two looks at the clock. */
const LOOKED_UP = 20_000;

/** @typedef {import('../../client/words.js').Unit} Unit */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('../text/language').Language} Language */
/**
 * @typedef {object} Content as etl/tuning.schema.json says
 * @property {(string[] | { from: string[], to: string[] })[]} [synonyms]
 * @property {{ add?: string[], remove?: string[] }} [stopWords]
 * @property {Place[]} [pins] @property {Place[]} [bury]
 */
/** @typedef {{ q?: string, category?: string, ids: number[] }} Place */
/** @typedef {{ pinned: number[], buried: number[] }} Places ids of products that come first, and last, in this order */

/** @type {Places} */
const NO_PLACES = { pinned: [], buried: [] };

/** @param {Unit} unit @returns {string[]} its words, as texts have them */
const wordsOf = ({ whole, parts }) => (whole === null ? parts : [whole]);

/** Several words as one of a query, which stands where a text has all of them. @param {Unit[]} units @returns {Unit} */
const phraseOf = (units) =>
  units.length === 1
    ? units[0]
    : { text: units.map(({ text }) => text).join(' '), whole: null, parts: units.flatMap(wordsOf) };

/** How a shop tunes its searches. Words count in all their forms; without a content, nothing changes. */
class Tuning {
  #language;
  /** @type {Set<string>} */
  #added;
  /** @type {Set<string>} */
  #removed;
  /** @type {Map<string, Unit[]>} other words and phrases, by the key of one */
  #synonyms = new Map();
  /** Words of the longest phrase with synonyms. */
  #longest = 1;
  #places;
  /** @type {Int32Array | null} */
  #ranked;

  /**
   * @param {Language} language of the load @param {Content} [content]
   * @param {Int32Array | null} [ranked] ordinals by weight, descending, then id; null: products have no weights
   */
  constructor(language, { synonyms = [], stopWords = {}, pins = [], bury = [] } = {}, ranked = null) {
    this.#language = language;
    const folded = (/** @type {string[]} */ words = []) =>
      new Set(words.flatMap((word) => this.#units(word).flatMap(wordsOf)));
    [this.#added, this.#removed] = [folded(stopWords.add), folded(stopWords.remove)];
    for (const group of synonyms) this.#addSynonyms(group);
    this.#places = { pinned: this.#placesBy(pins), buried: this.#placesBy(bury) };
    this.#ranked = ranked;
  }

  /** @param {string} text */
  #units = (text) => parseText(text).units;

  /** Equal for all forms of its words. @param {Unit[]} units */
  #keyOf = (units) =>
    units
      .flatMap(wordsOf)
      .map((word) => this.#language.stemOf(word))
      .join(' ');

  /** Equal for all orders of the words of a query, too. @param {Unit[]} words that decide */
  #keyOfQuery = (words) =>
    `q:${words
      .map((unit) => this.#keyOf([unit]))
      .sort()
      .join(' ')}`;

  /** @param {string[] | { from: string[], to: string[] }} group */
  #addSynonyms(group) {
    const { from, to } = Array.isArray(group) ? { from: group, to: group } : group;
    const targets = to.map((text) => ({ key: this.#keyOf(this.#units(text)), unit: phraseOf(this.#units(text)) }));
    for (const text of from) {
      const units = this.#units(text);
      const key = this.#keyOf(units);
      const others = targets.filter((target) => target.key !== key).map(({ unit }) => unit);
      this.#synonyms.set(key, [...(this.#synonyms.get(key) ?? []), ...others]);
      this.#longest = Math.max(this.#longest, units.length);
    }
  }

  /** @param {Place[]} places @returns {Map<string, number[]>} ids by query or category; each once, in order */
  #placesBy(places) {
    /** @type {Map<string, number[]>} */
    const byKey = new Map();
    for (const { q, category, ids } of places) {
      const key = q === undefined ? `c:${category}` : this.#keyOfQuery(readText(parseText(q), this).words);
      byKey.set(key, [...new Set([...(byKey.get(key) ?? []), ...ids])]);
    }
    return byKey;
  }

  /** @param {string} word folded @returns {boolean} whether it only helps others */
  isLittle(word) {
    return this.#added.has(word) || (this.#language.isLittle(word) && !this.#removed.has(word));
  }

  /** Makes one word of each phrase that has synonyms, the longest first. @param {Unit[]} units @returns {Unit[]} */
  joined(units) {
    if (this.#longest === 1) return units;
    /** @type {Unit[]} */
    const made = [];
    for (let at = 0; at < units.length;) {
      let length = Math.min(this.#longest, units.length - at);
      while (length > 1 && !this.#synonyms.has(this.#keyOf(units.slice(at, at + length)))) length -= 1;
      made.push(phraseOf(units.slice(at, at + length)));
      at += length;
    }
    return made;
  }

  /** Other words and phrases that a word of a query stands for. @param {Unit} unit @returns {Unit[]} */
  synonymsOf(unit) {
    return this.#synonyms.size === 0 ? [] : (this.#synonyms.get(this.#keyOf([unit])) ?? []);
  }

  /**
   * The products that a shop puts first and last: of a query those of its words, whatever filters it has; of a category, where that is all that it
   * asks for.
   * @param {Query} query @param {Unit[]} words of it that decide @returns {Places}
   */
  placesOf({ q, filters, onSale, inStock, minPrice, maxPrice }, words) {
    const { pinned, buried } = this.#places;
    if (pinned.size + buried.size === 0) return NO_PLACES;
    let key = this.#keyOfQuery(words);
    if (words.length === 0) {
      const [[name, values] = ['', []], ...others] = Object.entries(filters).filter(([, each]) => each.length > 0);
      const isCategory = name === 'category' && values.length === 1 && others.length === 0;
      if (!isCategory || q.trim() !== '' || onSale || inStock || minPrice !== null || maxPrice !== null)
        return NO_PLACES;
      key = `c:${values[0]}`;
    }
    const first = pinned.get(key) ?? [];
    return { pinned: first, buried: (buried.get(key) ?? []).filter((id) => !first.includes(id)) };
  }

  /**
   * The products with a weight, and their order.
   * @param {SearchIndex} index @returns {{ set: import('../sets/ordinal-set').OrdinalSet, order: Order } | null} null: none has one
   */
  rankOf({ sets, size }) {
    const ranked = this.#ranked;
    if (!ranked) return null;
    const { set } = sets.derived(
      'ranked',
      () => {
        const made = setOf({ size, take: () => new Int32Array(wordsFor(size)) }, ranked);
        return { set: made, bytes: made.bytes };
      },
      ranked,
    );
    return { set, order: new Order('rank', ranked, sets, { size, isWhole: false }) };
  }
}

/**
 * Products that were created since the load have no weight: workers that started later would give them another place.
 * @param {Buffer} ranked ids as int4 @param {SearchIndex} index @param {import('../query-context').Turn} turn
 * @returns {Promise<Int32Array>} ordinals of those that the load has
 */
async function ordinalsOf(ranked, { ids }, turn) {
  const ordinals = new Int32Array(ranked.length / 4);
  let count = 0;
  for (let at = 0; at < ordinals.length; at += 1) {
    const ordinal = ids.findLoaded(ranked.readInt32BE(at * 4));
    if (ordinal >= 0) ordinals[count++] = ordinal;
    if (at % LOOKED_UP === 0) await turn.pause();
  }
  return ordinals.slice(0, count);
}

exports.Tuning = Tuning;
exports.ordinalsOf = ordinalsOf;
