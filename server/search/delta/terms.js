'use strict';

const { plainDecimal } = require('../../core/decimals');
const { canonical, hasScale } = require('../../core/field-range');
const { FIELD } = require('../../core/policy');
const { valueKey } = require('../facets/value-key');
const { indexedWords, isUnspaced } = require('../../client/words.js');

/** The level of a term that a product does not have. */
const NONE = 3;
/** By the letter of a class of words: the highest level of its words. */
const LEVELS = 'nma';
/** Levels of the words of declared fields. */
const SEARCH_LEVELS = { name: 0, attribute: 1, text: 2 };
const MAX_PREFIX = 3;
/** Code points of a value or of a feature's name that has a set, as in etl/search/products.py. */
const MAX_VALUE = 200;

/**
 * @typedef {object} Content of a product
 * @property {string} name @property {string} slogan @property {string} description @property {string} category
 * @property {{ feature: string, value: string | null }[]} features
 * @property {{ name: string, sizes: string[] }[]} styles
 * @property {[name: string, value: FieldValue][]} [fields] declared ones of the product, its styles and skus
 */
/** @typedef {{ price: string, on_sale: boolean, in_stock: boolean, sizes: string[] }} Offer as in a card: sizes in stock */
/** @typedef {string | number | boolean | string[]} FieldValue */
/** @typedef {Map<string, import('../../core/field-range').Field>} Fields that the load declares */
/** @typedef {Map<string, number>} Terms with their levels */

/**
 * The terms of a product with their levels: 0 for a word of its name, 1 for one of other texts that name it, 2 for the rest, as the
 * loader has them (etl/search/products.py). A term is `w:WORD`, `x:PREFIX`, the key of a value, `p:FEATURE`,
 * or `v:SCALE=VALUE`.
 * @param {Content | null} content @param {Offer | null} offer null: it does not exist @param {Fields} declared
 * @returns {Terms}
 */
function termsOf(content, offer, declared) {
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
  const to = { add, addWords, addValue };
  if (content) addContent(content, to);
  for (const [name, value] of content?.fields ?? []) addField(declared.get(name), value, to);
  if (offer) addOffer(offer, to);
  return terms;
}

/**
 * @typedef {object} To adds terms
 * @property {(term: string) => void} add
 * @property {(text: string, level: number) => void} addWords
 * @property {(facet: string, value: string) => void} addValue
 */

/** @param {Content} content @param {To} to */
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

/** @param {import('../../core/field-range').Field | undefined} field undefined: another load declared it @param {FieldValue} value @param {To} to */
function addField(field, value, { add, addWords, addValue }) {
  if (!field) return;
  const name = FIELD + field.name;
  for (const text of Array.isArray(value) ? value : [String(value)]) {
    if (field.search) addWords(text, SEARCH_LEVELS[field.search]);
    if (hasScale(field)) add(scaleTerm(name, canonical(field.type, text) ?? text));
    else if (field.facet) addValue(name, text);
  }
}

/** @param {Offer} offer @param {To} to */
function addOffer({ price, on_sale: onSale, in_stock: inStock, sizes }, { add, addValue }) {
  add(scaleTerm('price', priceText(price)));
  if (onSale) addValue('on_sale', 'true');
  if (inStock) addValue('in_stock', 'true');
  for (const size of sizes) addValue('stock.size', size);
}

/** The term of a value in a scale. @param {string} scale its name @param {string} value */
const scaleTerm = (scale, value) => `v:${scale}=${value}`;

/** @param {string} term */
const isOfScale = (term) => term.startsWith('v:');

/** As prices.sql writes it. @param {string} price */
function priceText(price) {
  const [whole, fraction = ''] = plainDecimal(price).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
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
  if (/^[fv]:/.test(key)) return { term: key, level: 2 };
  const isPrefix = key.startsWith('x');
  const wordClass = key[Number(isPrefix)];
  return { term: `${isPrefix ? 'x' : 'w'}${key.slice(key.indexOf(':'))}`, level: LEVELS.indexOf(wordClass) };
}

exports.NONE = NONE;
exports.isOfScale = isOfScale;
exports.scaleTerm = scaleTerm;
exports.termsOf = termsOf;
exports.termOf = termOf;
