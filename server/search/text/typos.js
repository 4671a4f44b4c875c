'use strict';

const { Walk } = require('./typo-walk');
const { isCjk } = require('./words');

/** A word so long may have one typo, or two. */
const ONE_TYPO_LENGTH = 5;
const TWO_TYPOS_LENGTH = 9;

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/**
 * @typedef {object} Nearest words of the catalog, as indexes in the dictionary
 * @property {0 | 1 | 2} distance typos; 0: there are none
 * @property {number[]} words that are so near as a whole
 * @property {number[]} beginnings other words, of which a beginning is so near
 */

/**
 * @param {string} word @param {boolean} isKnown whether the catalog has it: an unknown one may be too short by the typo itself
 * @returns {0 | 1 | 2} typos that it may have
 */
function allowedTypos(word, isKnown) {
  const length = [...word].length;
  if (length < (isKnown ? ONE_TYPO_LENGTH : ONE_TYPO_LENGTH - 1) || isCjk(word) || /\p{N}/u.test(word)) return 0;
  return length < TWO_TYPOS_LENGTH ? 1 : 2;
}

/**
 * The words of the dictionary that are nearest to a word that does not match them: all within one typo, or else within two.
 * A typo is a letter too many, too few or replaced, or two neighbours swapped (optimal string alignment).
 * @param {Dictionary} dictionary
 * @param {{ text: string, isPrefix: boolean }} word as a prefix it may also be near to the beginning of another
 * @param {() => Promise<void>} pause called between parts of the work
 * @returns {Promise<Nearest>}
 */
async function nearestWords(dictionary, { text, isPrefix }, pause) {
  const found = dictionary.find(text);
  const own = isPrefix ? dictionary.beginningWith(text) : { from: found, to: found + 1 };
  const isOther = (/** @type {number} */ index) =>
    (index < own.from || index >= own.to) && dictionary.counts.a[index] > 0;
  const allowed = allowedTypos(text, isPrefix ? own.from < own.to : found >= 0);
  for (const distance of /** @type {const} */ ([1, 2])) {
    if (distance > allowed) break;
    const near = await new Walk(dictionary, text, { distance, leastLength: ONE_TYPO_LENGTH }).run(pause);
    const words = near.words.filter(isOther);
    const beginnings = isPrefix ? near.beginnings.filter(isOther) : [];
    if (words.length + beginnings.length > 0) return { distance, words, beginnings };
  }
  return { distance: 0, words: [], beginnings: [] };
}

exports.allowedTypos = allowedTypos;
exports.nearestWords = nearestWords;
