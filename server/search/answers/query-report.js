'use strict';

/** So many terms are listed for a word. */
const MAX_TERMS = 50;

/** @typedef {{ word: string, as: string[], typos: number }} WordReport `as`: what matched; `typos`: how far the terms are from it */

/**
 * The matches of a word: itself, then words that begin with it, then its nearest words, then words that begin with one of those;
 * each by products, descending.
 * @param {import('../text/matching').QueryWord} word @param {boolean} withTypos whether typos count
 * @returns {WordReport}
 */
function reportWord(word, withTypos) {
  const { dictionary, index, text, isPrefix } = word;
  const { a } = dictionary.counts;
  const byProducts = (/** @type {number[]} */ words) => [...words].sort((x, y) => a[y] - a[x] || x - y);
  const beginning = isPrefix ? dictionary.mostFrequent(dictionary.beginningWith(text), MAX_TERMS) : [];
  const { words, beginnings, distance } = word.nearest;
  const nearest = withTypos ? [...byProducts(words), ...byProducts(beginnings)] : [];
  const terms = new Set([...(index >= 0 ? [index] : []), ...beginning, ...nearest]);
  const as = [...terms].slice(0, MAX_TERMS).map((each) => dictionary.word(each));
  return { word: text, as, typos: withTypos ? distance : 0 };
}

exports.reportWord = reportWord;
