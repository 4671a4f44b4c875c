'use strict';

/** A prefix of so many characters has a set of its own; a longer one is the union of its words. */
const MAX_PREFIX_KEY = 3;
/** Each contains the one before. @type {WordClass[]} */
const CLASSES = ['n', 'm', 'a'];

/** @typedef {import('./dictionary').WordClass} WordClass */
/** @typedef {import('../sets/set-cache').Wanted} Wanted */
/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
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

exports.Term = Term;
exports.wordSet = wordSet;
