'use strict';

const { QueryWord, matchesOf } = require('../text/matching');
const { wordSet } = require('../text/term');
const { FacetCounts } = require('../facets/facets');
const { valueKey } = require('../facets/value-key');
const { countCommon } = require('../sets/ordinal-set');
const { intersect } = require('../sets/set-algebra');
const { fold, indexedWords, isUnspaced } = require('../../client/words.js');

/** So many completions are counted, the most frequent of the catalog, when other words come before. */
const MAX_COUNTED = 50;

/** @typedef {import('../index/search-index').FacetValues} FacetValues */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {import('../../client/words.js').Unit} Unit */
/** @typedef {{ value: string, count: number }} Suggestion and its number of products */
/** @typedef {{ words: Suggestion[], categories: Suggestion[] }} Suggestions each by products, descending */

/**
 * Completes the last word of a text, and finds the categories whose names have all its words. A completion counts the products
 * that have it and the words before it.
 * @param {QueryContext} context @param {import('../text/query-text').Text} text @param {number} count of words and of categories, at most
 * @returns {Promise<Suggestions>}
 */
async function suggest(context, { units }, count) {
  if (units.length === 0) return { words: [], categories: [] };
  const { facets, forms } = context.index;
  const categories = (facets.get('category') ?? []).filter(([name]) => hasWords(name, units, forms.language));
  const counts = new FacetCounts(context.index.all, { selected: new Set(), limit: count });
  const sets = categories.map(([value, products]) => ({ key: valueKey('category', value), count: products }));
  counts.add(categories, counts.needSets ? await context.sets(sets) : []);
  return {
    words: (await completions(context, units, Math.max(count, MAX_COUNTED))).slice(0, count),
    categories: counts.values.map(({ value, count: products }) => ({ value, count: products })),
  };
}

/** @param {QueryContext} context @param {Unit[]} units @param {number} limit @returns {Promise<Suggestion[]>} */
async function completions(context, units, limit) {
  const { dictionary, spellings } = context.index;
  const last = units[units.length - 1];
  const begun = [last.whole, last.parts.at(-1)].map((word) => (word ? indexesOf(dictionary, word, limit) : []));
  // The last part of what signs join is completed where the catalog has no such word: blue-park.
  const isPart = begun[0].length === 0;
  const found = begun[Number(isPart)];
  const suggestions = found.map((index) => ({
    value: spellings.of(dictionary.word(index)),
    count: dictionary.counts.a[index],
  }));
  const parts = isPart ? last.parts.slice(0, -1).map((text) => ({ text, whole: text, parts: [] })) : [];
  const isDeciding = (/** @type {Unit} */ { whole }) => whole === null || !context.tuning.isLittle(whole);
  const before = [...units.slice(0, -1), ...parts].filter(isDeciding);
  const words = before.map((unit) => new QueryWord(context, unit));
  const matches = await matchesOf(context, words, 'a', { prefix: false, forms: true, typos: false });
  const products = intersect(context, [context.index.all, ...matches]);
  if (products.isAll) return suggestions;
  const sets = await context.sets(found.map((index) => wordSet(dictionary, 'a', index)));
  for (const [index, suggestion] of suggestions.entries()) suggestion.count = countCommon(products, sets[index]);
  return suggestions.filter((suggestion) => suggestion.count > 0).sort((a, b) => b.count - a.count);
}

/** @param {import('../text/dictionary').Dictionary} dictionary @param {string} word @param {number} limit @returns {number[]} of words that begin with it */
function indexesOf(dictionary, word, limit) {
  if (!isUnspaced(word)) return dictionary.mostFrequent(dictionary.beginningWith(word), limit);
  return [dictionary.find(word)].filter((index) => index >= 0);
}

/**
 * @param {string} name of a category @param {Unit[]} units the last one may be the beginning of a word
 * @param {import('../text/language').Language} language
 */
function hasWords(name, units, language) {
  const own = indexedWords(name);
  const stems = new Set(own.map((word) => language.stemOf(word)));
  const folded = fold(name);
  return units.every(({ text, whole, parts }, at) => {
    if (isUnspaced(text)) return folded.includes(text);
    const isBegun = (/** @type {string} */ word) =>
      at === units.length - 1 && own.some((each) => each.startsWith(word));
    const has = (/** @type {string} */ word) => stems.has(language.stemOf(word)) || isBegun(word);
    return (whole !== null && has(whole)) || (parts.length > 0 && parts.every(has));
  });
}

exports.suggest = suggest;
