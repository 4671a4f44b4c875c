'use strict';

const { addTo, intersect, settle, unite } = require('../sets/set-algebra');
const { Term } = require('./term');
const { nearestWords } = require('./typos');
const { isNumber, isUnspaced } = require('../../client/words.js');

/** So many sets are united at a time: a union of thousands must not hold all of them. */
const UNION_GROUP = 500;
/** With fewer products than this, rare words may also be written apart, and typos count. */
const FEW = 24;
/** The halves of a word have at least so many letters. */
const MIN_HALF = 3;

/** @type {import('./typos').Nearest} */
const NONE = { distance: 0, words: [], beginnings: [] };

/** @typedef {import('./dictionary').WordClass} WordClass */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../sets/set-cache').Wanted} Wanted */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('../../client/words.js').Unit} Unit */
/** @typedef {import('./term').How} How */

/** A word of a query, with the words of the catalog that it stands for. */
class QueryWord {
  /** @type {import('./typos').Nearest | null} */
  #nearest = null;
  /** @type {QueryWord | null} */
  #apart = null;
  #context;
  #unit;
  #place;

  /**
   * @param {Pick<QueryContext, 'index' | 'tuning'>} context @param {Unit} unit
   * @param {{ isLast?: boolean, joined?: string[] }} [place] `joined`: with each neighbour as one word
   */
  constructor(context, unit, place = {}) {
    const [{ index, tuning }, { text, whole, parts }] = [context, unit];
    const { isLast = false, joined = [] } = place;
    this.#context = context;
    this.#unit = unit;
    this.#place = place;
    this.text = text;
    this.isPrefix = isLast && !isUnspaced(text);
    const term = (/** @type {string} */ word, isEnd = true) => new Term(index, word, this.isPrefix && isEnd);
    const apart = parts.map((part, at) => term(part, at === parts.length - 1));
    /** As written, each of them. */
    this.terms = whole === null ? apart : [term(whole)];
    /** Other ways to write it: of each, all terms. @type {Term[][]} */
    this.others = whole === null || apart.length === 0 ? [] : [apart];
    this.others.push(...joined.map((word) => [new Term(index, word, false)]).filter(([term]) => term.isKnown));
    for (const synonym of tuning.synonymsOf(unit)) this.others.push(...waysOf(index, synonym));
  }

  /** The word as it also matches where few products are found: as two. @returns {QueryWord} itself where it cannot be two */
  apart() {
    if (this.#apart) return this.#apart;
    const halves = isPlain(this.#unit) ? this.#halves() : [];
    this.#apart = halves.length === 0 ? this : new QueryWord(this.#context, this.#unit, this.#place);
    this.#apart.others.push(...halves);
    return this.#apart;
  }

  /** Two words of the catalog, the last one in any form, in each way to cut it. @returns {Term[][]} */
  #halves() {
    const characters = [...this.text];
    return characters.slice(2 * MIN_HALF - 1).flatMap((_, at) => {
      const place = at + MIN_HALF;
      const [first, last] = [characters.slice(0, place), characters.slice(place)].map(
        (half) => new Term(this.#context.index, half.join(''), false),
      );
      return first.index >= 0 && last.isKnown ? [[first, last]] : [];
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
    this.#nearest ??= await nearestWords(this.#context.index.dictionary, word, () => context.turn.pause());
  }

  /** All sets that it matches in a class. @param {WordClass} wordClass @param {How} how @returns {Wanted[]} */
  wanted(wordClass, how) {
    return this.#ways(how).flatMap((terms) => terms.flatMap((term) => this.#wantedOf(term, wordClass, how)));
  }

  /** @param {How} how */
  #ways = ({ forms }) => (forms ? [this.terms, ...this.others] : [this.terms]);

  /** @param {Term} term @param {WordClass} wordClass @param {How} how */
  #wantedOf = (term, wordClass, how) => term.wanted(wordClass, how, term === this.terms[0] ? this.nearest : NONE);

  /** The products that it matches in a class. @param {QueryContext} context @param {WordClass} wordClass @param {How} how @returns {Promise<OrdinalSet>} */
  async matches(context, wordClass, how) {
    const wanted = (/** @type {Term} */ term) => this.#wantedOf(term, wordClass, how);
    const all = this.#ways(how);
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

/** All terms of each way to write a word. @param {SearchIndex} index @param {Unit} unit @returns {Term[][]} */
function waysOf(index, { whole, parts }) {
  const ways = [whole === null ? [] : [whole], parts].filter(({ length }) => length > 0);
  return ways.map((words) => words.map((word) => new Term(index, word, false)));
}

/**
 * The words of a query, which know their neighbours: "rain coat" may be one word.
 * @param {QueryContext} context @param {Unit[]} units
 */
function queryWords(context, units) {
  const joins = (/** @type {Unit | undefined} */ first, /** @type {Unit | undefined} */ second) =>
    first && second && [first, second].every(isPlain) ? [first.text + second.text] : [];
  return units.map((unit, at) => {
    const joined = [...joins(units[at - 1], unit), ...joins(unit, units[at + 1])];
    return new QueryWord(context, unit, { isLast: at === units.length - 1, joined });
  });
}

/** @param {Unit} unit @returns {boolean} whether it may be a part of a word that another query writes as one */
const isPlain = ({ text, parts }) => parts.length === 0 && !isUnspaced(text) && !isNumber(text);

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
  // One read for all words, and for their other forms, which the next step has.
  const wanted = words.flatMap((word) => word.wanted(wordClass, { ...how, forms: true }));
  if (wanted.length <= UNION_GROUP) await context.prefetch(wanted);
  const sets = [];
  for (const word of words) {
    sets.push(await word.matches(context, wordClass, how));
    await context.turn.pause();
  }
  return sets;
}

exports.FEW = FEW;
exports.QueryWord = QueryWord;
exports.queryWords = queryWords;
exports.union = union;
exports.matchesOf = matchesOf;
