'use strict';

const { countWords } = require('./dropped-words');
const { matchesOf } = require('./matching');
const { OrdinalSet, haveCommon } = require('../sets/ordinal-set');
const { intersect } = require('../sets/set-algebra');

/** With fewer products than this typos count as well. */
const ENOUGH = 24;

/** @typedef {import('./matching').QueryWord} QueryWord */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/**
 * @typedef {object} TextMatch
 * @property {QueryWord[]} words that all products have
 * @property {string[]} ignored words that were dropped
 * @property {boolean} typos whether typos count
 * @property {OrdinalSet} matched products that have the words, whatever filters say
 * @property {OrdinalSet} found those of them that pass the filters
 */

/**
 * Finds the products that have all words, in any text. With few of them typos count; with none the fewest words are dropped. Of the
 * products that pass the filters none may have a word: then the filters are why nothing is found, and the words stay as without them.
 * @param {QueryContext} context @param {QueryWord[]} words @param {OrdinalSet} filter products that pass the filters
 * @returns {Promise<TextMatch>}
 */
async function matchText(context, words, filter) {
  if (words.length === 0) return { words, ignored: [], typos: false, matched: context.index.all, found: filter };
  const plain = await matchesOf(context, words, 'a', { prefix: true, typos: false });
  const match = matchAll(context, plain, filter);
  if (match.found.count >= ENOUGH) return { words, ignored: [], typos: false, ...match };
  let typos = false;
  for (const word of words) {
    await word.findNearest(context);
    typos = word.nearest.distance > 0 || typos;
    await context.turn.pause();
  }
  const sets = typos ? await matchesOf(context, words, 'a', { prefix: true, typos }) : plain;
  const wide = typos ? matchAll(context, sets, filter) : match;
  if (wide.found.count > 0) return { words, ignored: [], typos, ...wide };
  return withoutSome(context, words, sets, filter);
}

/** @param {QueryContext} context @param {OrdinalSet[]} sets @param {OrdinalSet} filter */
function matchAll(context, sets, filter) {
  const matched = intersect(context, sets);
  return { matched, found: intersect(context, [matched, filter]) };
}

/**
 * Drops the fewest words, later ones rather than earlier ones, and answers for the others.
 * @param {QueryContext} context @param {QueryWord[]} words @param {OrdinalSet[]} sets what each matches @param {OrdinalSet} filter
 * @returns {Promise<TextMatch>}
 */
async function withoutSome(context, words, sets, filter) {
  const { most, products } = countWords(context, sets, filter);
  let left = products;
  await context.turn.pause();
  const kept =
    most === 0
      ? []
      : words.filter((_, index) => {
          if (!haveCommon(left, sets[index])) return false;
          left = intersect(context, [left, sets[index]]);
          return true;
        });
  const ignored = words.filter((word) => !kept.includes(word)).map(({ text }) => text);
  if (kept.length > 0) return { ...(await matchText(context, kept, filter)), ignored };
  const none = OrdinalSet.empty(context.size);
  if (!filter.isAll) return { ...(await matchText(context, words, context.index.all)), found: none };
  return { words: [], ignored, typos: false, matched: none, found: none };
}

exports.matchText = matchText;
