'use strict';

const { addTo, intersect, settle, unite } = require('../sets/set-algebra');
const { nearestWords } = require('./typos');
const { isNumber, isUnspaced } = require('../../client/words.js');

/** A prefix of so many characters has a set of its own; a longer one is the union of its words. */
const MAX_PREFIX_KEY = 3;
/** So many sets are united at a time: a union of thousands must not hold all of them. */
const UNION_GROUP = 500;
/** A word that fewer products have may also be written apart. Its halves have at least so many letters. */
const RARE = 24;
const MIN_HALF = 3;

/** @type {import('./typos').Nearest} */
const NONE = { distance: 0, words: [], beginnings: [] };

/** Each contains the one before. @type {WordClass[]} */
const CLASSES = ['n', 'm', 'a'];

/** @typedef {import('./dictionary').WordClass} WordClass */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../sets/set-cache').Wanted} Wanted */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('../../client/words.js').Unit} Unit */
/** @typedef {{ prefix: boolean, forms: boolean, typos: boolean }} How a word may match, beside exactly; `forms`: written in another way, too */

/** A word of the catalog's language, as one of those that a query's word stands for. */
class Term {
  #index;
  /** @type {import('./dictionary').Range | null} */
  #range = null;
  /** @type {number[] | null} */
  #forms = null;

  /** @param {SearchIndex} index @param {string} text @param {boolean} isPrefix */
  constructor(index, text, isPrefix) {
    this.#index = index;
    this.text = text;
    this.isPrefix = isPrefix;
    this.index = index.dictionary.find(text);
  }

  /** Words that begin with it; none unless it is a prefix. @returns {import('./dictionary').Range} */
  get range() {
    return (this.#range ??= this.isPrefix ? this.#index.dictionary.beginningWith(this.text) : { from: 0, to: 0 });
  }

  /** Its other forms. @returns {number[]} indexes in the dictionary */
  get forms() {
    const { dictionary, forms } = this.#index;
    return (this.#forms ??= forms
      .of(this.text)
      .map((word) => dictionary.find(word))
      .filter((index) => index >= 0));
  }

  get isKnown() {
    return this.index >= 0 || this.range.from < this.range.to || this.forms.length > 0;
  }

  /** The sets whose union it matches in a class. @param {WordClass} wordClass @param {How} how @param {import('./typos').Nearest} nearest @returns {Wanted[]} */
  wanted(wordClass, { prefix, forms, typos }, nearest) {
    const { dictionary } = this.#index;
    const words = typos ? [...nearest.words, ...(prefix ? nearest.beginnings : [])] : [];
    if (forms) words.push(...this.forms);
    /** @type {Wanted[]} */
    const short = [];
    const isLong = [...this.text].length > MAX_PREFIX_KEY;
    if (prefix && this.isPrefix && isLong)
      for (let index = this.range.from; index < this.range.to; index += 1) words.push(index);
    else if (prefix && this.isPrefix) short.push({ key: `x${wordClass}:${this.text}` });
    else if (this.index >= 0) words.push(this.index);
    const some = [...new Set(words)].filter((index) => dictionary.counts[wordClass][index] > 0);
    return [...short, ...some.map((index) => wordSet(dictionary, wordClass, index))];
  }
}

/** A word of a query, with the words of the catalog that it stands for. */
class QueryWord {
  /** @type {import('./typos').Nearest | null} */
  #nearest = null;
  #index;

  /**
   * @param {SearchIndex} index @param {Unit} unit
   * @param {{ isLast?: boolean, joined?: string[] }} [place] `joined`: with each neighbour as one word
   */
  constructor(index, unit, { isLast = false, joined = [] } = {}) {
    const { text, whole, parts } = unit;
    this.#index = index;
    this.text = text;
    this.isPrefix = isLast && !isUnspaced(text);
    const term = (/** @type {string} */ word, isEnd = true) => new Term(index, word, this.isPrefix && isEnd);
    const apart = parts.map((part, at) => term(part, at === parts.length - 1));
    /** As written, each of them. */
    this.terms = whole === null ? apart : [term(whole)];
    /** Other ways to write it: of each, all terms. @type {Term[][]} */
    this.others = whole === null || apart.length === 0 ? [] : [apart];
    for (const word of joined) if (index.dictionary.find(word) >= 0) this.others.push([new Term(index, word, false)]);
    if (whole !== null && parts.length === 0 && !isUnspaced(text) && !isNumber(text))
      this.others.push(...this.#halves());
  }

  /** Two words of the catalog for one that few products have, in each way to cut it. @returns {Term[][]} */
  #halves() {
    const [term] = this.terms;
    const { counts } = this.#index.dictionary;
    const products = [term.index, ...term.forms].reduce((sum, index) => sum + (index < 0 ? 0 : counts.a[index]), 0);
    const characters = [...this.text];
    if (products >= RARE || characters.length < 2 * MIN_HALF) return [];
    return characters.slice(2 * MIN_HALF - 1).flatMap((_, at) => {
      const place = at + MIN_HALF;
      const halves = [characters.slice(0, place), characters.slice(place)].map(
        (half) => new Term(this.#index, half.join(''), false),
      );
      return halves.every(({ index }) => index >= 0) ? [halves] : [];
    });
  }

  /** The nearest words within the typos that it may have; none before `findNearest`. */
  get nearest() {
    return this.#nearest ?? NONE;
  }

  get isNumber() {
    return isNumber(this.text);
  }

  /** True when forms or other ways of writing match more than the word itself. */
  get hasOthers() {
    return this.others.length > 0 || this.terms.some(({ forms }) => forms.length > 0);
  }

  /** A word that the catalog has in any way is not misspelt. @param {QueryContext} context */
  async findNearest(context) {
    const isKnown = [this.terms, ...this.others].some((terms) => terms.every((term) => term.isKnown));
    if (isKnown || this.terms.length > 1) return;
    const word = { text: this.terms[0].text, isPrefix: this.isPrefix };
    this.#nearest ??= await nearestWords(this.#index.dictionary, word, () => context.turn.pause());
  }

  /** The products that it matches in a class. @param {QueryContext} context @param {WordClass} wordClass @param {How} how @returns {Promise<OrdinalSet>} */
  async matches(context, wordClass, how) {
    const wanted = (/** @type {Term} */ term) =>
      term.wanted(wordClass, how, term === this.terms[0] ? this.nearest : NONE);
    const all = how.forms ? [this.terms, ...this.others] : [this.terms];
    const single = all.filter((terms) => terms.length === 1).flatMap(([term]) => wanted(term));
    const sets = single.length > 0 || all.length === 0 ? [await union(context, single)] : [];
    for (const terms of all.filter(({ length }) => length > 1)) {
      const parts = [];
      for (const term of terms) parts.push(await union(context, wanted(term)));
      sets.push(intersect(context, parts));
    }
    return sets.length === 1 ? sets[0] : unite(context, sets);
  }
}

/**
 * The words of a query, which know their neighbours: "rain coat" may be one word.
 * @param {SearchIndex} index @param {Unit[]} units
 */
function queryWords(index, units) {
  const joins = (/** @type {Unit | undefined} */ first, /** @type {Unit | undefined} */ second) =>
    first && second && [first, second].every(isPlain) ? [first.text + second.text] : [];
  return units.map((unit, at) => {
    const joined = [...joins(units[at - 1], unit), ...joins(unit, units[at + 1])];
    return new QueryWord(index, unit, { isLast: at === units.length - 1, joined });
  });
}

/** @param {Unit} unit @returns {boolean} whether it may be a part of a word that another query writes as one */
const isPlain = ({ text, parts }) => parts.length === 0 && !isUnspaced(text) && !isNumber(text);

/**
 * The set of a word. Each class contains the smaller ones, so equal counts mean equal sets. The smallest class is taken, so that the
 * set is read once.
 * @param {import('./dictionary').Dictionary} dictionary @param {WordClass} wordClass @param {number} index
 * @returns {Wanted}
 */
function wordSet(dictionary, wordClass, index) {
  const { counts } = dictionary;
  const count = counts[wordClass][index];
  const smallest = CLASSES.find((each) => counts[each][index] === count);
  return { key: `${smallest}:${dictionary.word(index)}`, count };
}

/** @param {QueryContext} context @param {Wanted[]} wanted @returns {Promise<OrdinalSet>} */
async function union(context, wanted) {
  if (wanted.length <= UNION_GROUP) return unite(context, await context.sets(wanted));
  const bits = context.take().fill(0);
  for (let from = 0; from < wanted.length; from += UNION_GROUP) {
    for (const set of await context.sets(wanted.slice(from, from + UNION_GROUP))) addTo(bits, set);
    await context.turn.pause();
  }
  return settle(context, bits);
}

/**
 * The products that match each word.
 * @param {QueryContext} context @param {QueryWord[]} words @param {WordClass} wordClass @param {How} how
 * @returns {Promise<OrdinalSet[]>}
 */
async function matchesOf(context, words, wordClass, how) {
  const sets = [];
  for (const word of words) {
    sets.push(await word.matches(context, wordClass, how));
    await context.turn.pause();
  }
  return sets;
}

exports.QueryWord = QueryWord;
exports.queryWords = queryWords;
exports.wordSet = wordSet;
exports.union = union;
exports.matchesOf = matchesOf;
