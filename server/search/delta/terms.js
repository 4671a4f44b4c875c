'use strict';

const { valueKey } = require('../facets/value-key');
const { indexedWords, isUnspaced } = require('../../client/words.js');

/** The level of a term that a product does not have. */
const NONE = 3;
/** By the letter of a class of words: the highest level of its words. */
const LEVELS = 'nma';
const MAX_PREFIX = 3;
/** Code points of a value or of a feature's name that has a set, as in etl/search/products.py. */
const MAX_VALUE = 200;

/**
 * @typedef {object} Content of a product
 * @property {string} name @property {string} slogan @property {string} description @property {string} category
 * @property {{ feature: string, value: string | null }[]} features
 * @property {{ name: string, sizes: string[] }[]} styles
 */
/** @typedef {{ price: string, on_sale: boolean, in_stock: boolean, sizes: string[] }} Offer as in a card: sizes in stock */
/** @typedef {Map<string, number>} Terms with their levels */

/**
 * The terms of a product with their levels: 0 for a word of its name, 1 for one of other texts that name it, 2 for the rest, as the
 * loader has them (etl/search/products.py). A term is `w:WORD`, `x:PREFIX`, the key of a value, or `p:FEATURE`.
 * @param {Content | null} content @param {Offer | null} offer null: it does not exist
 * @returns {Terms}
 */
function termsOf(content, offer) {
  /** @type {Terms} */
  const terms = new Map();
  const add = (/** @type {string} */ term, level = 2) => {
    if (level < (terms.get(term) ?? NONE)) terms.set(term, level);
  };
  const addWords = (/** @type {string} */ text, /** @type {number} */ level) => {
    for (const word of indexedWords(text)) {
      add(`w:${word}`, level);
      for (const prefix of prefixesOf(word)) add(`x:${prefix}`, level);
    }
  };
  const addValue = (/** @type {string} */ facet, /** @type {string} */ value) => {
    if (hasKey(value)) add(valueKey(facet, value));
  };
  if (content) addContent(content, { add, addWords, addValue });
  if (offer) addOffer(offer, addValue);
  return terms;
}

/**
 * @param {Content} content
 * @param {object} to
 * @param {(term: string) => void} to.add
 * @param {(text: string, level: number) => void} to.addWords
 * @param {(facet: string, value: string) => void} to.addValue
 */
function addContent({ name, slogan, description, category, features, styles }, { add, addWords, addValue }) {
  addWords(name, 0);
  addWords(category, 1);
  addValue('category', category);
  for (const { feature, value } of features) {
    if (value === null) continue;
    addWords(value, 1);
    if (!hasKey(feature) || !hasKey(value)) continue;
    addValue(`feature.${feature}`, value);
    add(`p:${feature}`);
  }
  for (const style of styles) {
    addWords(style.name, 1);
    for (const size of style.sizes) addValue('size', size);
  }
  addWords(slogan, 2);
  addWords(description, 2);
}

/** @param {Offer} offer @param {(facet: string, value: string) => void} addValue */
function addOffer({ on_sale: onSale, in_stock: inStock, sizes }, addValue) {
  if (onSale) addValue('on_sale', 'true');
  if (inStock) addValue('in_stock', 'true');
  for (const size of sizes) addValue('stock.size', size);
}

/** @param {string} word @returns {string[]} the beginnings that have a set */
function prefixesOf(word) {
  if (isUnspaced(word)) return [];
  const characters = [...word].slice(0, MAX_PREFIX);
  return characters.map((_, index) => characters.slice(0, index + 1).join(''));
}

/** @param {string} text */
const hasKey = (text) => [...text].length <= MAX_VALUE;

/** The term of a set, and the highest level that the set counts. @param {string} key @returns {{ term: string, level: number }} */
function termOf(key) {
  if (key.startsWith('f:')) return { term: key, level: 2 };
  const isPrefix = key.startsWith('x');
  const wordClass = key[Number(isPrefix)];
  return { term: `${isPrefix ? 'x' : 'w'}${key.slice(key.indexOf(':'))}`, level: LEVELS.indexOf(wordClass) };
}

exports.NONE = NONE;
exports.termsOf = termsOf;
exports.termOf = termOf;
