'use strict';

const { addTo, settle, unite } = require('../sets/set-algebra');
const { nearestWords } = require('./typos');
const { isCjk } = require('./words');

/** A prefix of so many characters has a set of its own; a longer one is the union of its words. */
const MAX_PREFIX_KEY = 3;
/** So many sets are united at a time: a union of thousands must not hold all of them. */
const UNION_GROUP = 500;

/** @type {import('./typos').Nearest} */
const NONE = { distance: 0, words: [], beginnings: [] };

/** Each contains the one before. @type {WordClass[]} */
const CLASSES = ['n', 'm', 'a'];

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/** @typedef {import('./dictionary').WordClass} WordClass */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../sets/set-cache').Wanted} Wanted */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ prefix: boolean, typos: boolean }} How a word may match, beside exactly */

/** A word of a query, with the words of the catalog that it stands for. */
class QueryWord {
  /** @type {import('./typos').Nearest | null} */
  #nearest = null;
  /** @type {import('./dictionary').Range | null} */
  #range = null;

  /** @param {Dictionary} dictionary @param {string} text @param {boolean} isLast */
  constructor(dictionary, text, isLast) {
    this.text = text;
    this.isPrefix = isLast && !isCjk(text);
    this.index = dictionary.find(text);
    this.dictionary = dictionary;
  }

  /** Words that begin with it; none unless it is a prefix. @returns {number[]} indexes in the dictionary */
  get beginning() {
    if (!this.isPrefix) return [];
    this.#range ??= this.dictionary.beginningWith(this.text);
    const { from, to } = this.#range;
    return Array.from({ length: to - from }, (_, offset) => from + offset);
  }

  /** The nearest words within the typos that it may have; none before `findNearest`. */
  get nearest() {
    return this.#nearest ?? NONE;
  }

  /** @param {QueryContext} context */
  async findNearest(context) {
    this.#nearest ??= await nearestWords(this.dictionary, this, () => context.turn.pause());
  }

  /** The sets whose union it matches in a class. @param {WordClass} wordClass @param {How} how @returns {Wanted[]} */
  wanted(wordClass, { prefix, typos }) {
    const words = typos ? [...this.nearest.words, ...(prefix ? this.nearest.beginnings : [])] : [];
    /** @type {Wanted[]} */
    const short = [];
    if (prefix && this.isPrefix && [...this.text].length > MAX_PREFIX_KEY) words.push(...this.beginning);
    else if (prefix && this.isPrefix) short.push({ key: `x${wordClass}:${this.text}` });
    else if (this.index >= 0) words.push(this.index);
    const some = [...new Set(words)].filter((index) => this.dictionary.counts[wordClass][index] > 0);
    return [...short, ...some.map((index) => wordSet(this.dictionary, wordClass, index))];
  }
}

/**
 * The set of a word. Each class contains the smaller ones, so equal counts mean equal sets. The smallest class is taken, so that the
 * set is read once.
 * @param {Dictionary} dictionary @param {WordClass} wordClass @param {number} index
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
    sets.push(await union(context, word.wanted(wordClass, how)));
    await context.turn.pause();
  }
  return sets;
}

exports.QueryWord = QueryWord;
exports.wordSet = wordSet;
exports.union = union;
exports.matchesOf = matchesOf;
