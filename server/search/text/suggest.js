'use strict';

const { QueryWord, matchesOf, wordSet } = require('./matching');
const { countCommon } = require('../sets/ordinal-set');
const { intersect } = require('../sets/set-algebra');
const { fold, isCjk, queryWords } = require('./words');

/** So many completions are counted, the most frequent of the catalog, when other words come before. */
const MAX_COUNTED = 50;

/** @typedef {import('../index/search-index').FacetValues} FacetValues */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ value: string, count: number }} Suggestion and its number of products */
/** @typedef {{ words: Suggestion[], categories: Suggestion[] }} Suggestions each by products, descending */

/**
 * Completes the last word of a text, and finds the categories whose names have all its words. A completion counts the products
 * that have it and the words before it.
 * @param {QueryContext} context @param {string[]} words of the text, folded @param {number} count of words and of categories, at most
 * @returns {Promise<Suggestions>}
 */
async function suggest(context, words, count) {
  if (words.length === 0) return { words: [], categories: [] };
  const categories = (context.index.facets.get('category') ?? []).filter(([name]) => hasWords(name, words));
  return {
    words: (await completions(context, words, Math.max(count, MAX_COUNTED))).slice(0, count),
    categories: categories.slice(0, count).map(([value, products]) => ({ value, count: products })),
  };
}

/** @param {QueryContext} context @param {string[]} words @param {number} limit @returns {Promise<Suggestion[]>} */
async function completions(context, words, limit) {
  const { dictionary } = context.index;
  const last = new QueryWord(dictionary, words[words.length - 1], true);
  const found = dictionary.mostFrequent(dictionary.beginningWith(last.text), limit);
  const suggestions = found.map((index) => ({ value: dictionary.word(index), count: dictionary.counts.a[index] }));
  if (words.length === 1) return suggestions;
  const before = words.slice(0, -1).map((word) => new QueryWord(dictionary, word, false));
  const products = intersect(context, await matchesOf(context, before, 'a', { prefix: false, typos: false }));
  const sets = await context.sets(found.map((index) => wordSet(dictionary, 'a', index)));
  for (const [index, suggestion] of suggestions.entries()) suggestion.count = countCommon(products, sets[index]);
  return suggestions.filter((suggestion) => suggestion.count > 0).sort((a, b) => b.count - a.count);
}

/** @param {string} name of a category @param {string[]} words the last one may be the beginning of a word */
function hasWords(name, words) {
  const own = queryWords(name);
  const folded = fold(name);
  return words.every((word, index) => {
    if (isCjk(word)) return folded.includes(word);
    return own.some((each) => each === word || (index === words.length - 1 && each.startsWith(word)));
  });
}

exports.suggest = suggest;
