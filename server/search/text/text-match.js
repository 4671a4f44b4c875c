'use strict';

const { countWords } = require('./dropped-words');
const { matchesOf } = require('./matching');
const { PositionSet, haveCommon } = require('../sets/position-set');
const { intersect } = require('../sets/set-algebra');

/** With fewer products than this typos count as well. */
const ENOUGH = 24;

/** @typedef {import('./matching').QueryWord} QueryWord */
/** @typedef {import('../query-context').Work} Work */
/**
 * @typedef {object} TextMatch
 * @property {QueryWord[]} words that all products have
 * @property {string[]} ignored words that were dropped
 * @property {boolean} typos whether typos count
 * @property {PositionSet} matched products that have the words, whatever filters say
 * @property {PositionSet} found those of them that pass the filters
 */

/**
 * Finds the products that have all words, in any text. With few of them typos count; with none the fewest words are dropped. Of the
 * products that pass the filters none may have a word: then the filters are why nothing is found, and the words stay as without them.
 * @param {Work} work @param {QueryWord[]} words @param {PositionSet} filter products that pass the filters
 * @returns {Promise<TextMatch>}
 */
async function matchText(work, words, filter) {
  if (words.length === 0) return { words, ignored: [], typos: false, matched: work.index.all, found: filter };
  const plain = await matchesOf(work, words, 'a', { prefix: true, typos: false });
  const match = matchAll(work, plain, filter);
  if (match.found.count >= ENOUGH) return { words, ignored: [], typos: false, ...match };
  let typos = false;
  for (const word of words) {
    await word.findNearest(work);
    typos = word.nearest.distance > 0 || typos;
    await work.pause();
  }
  const sets = typos ? await matchesOf(work, words, 'a', { prefix: true, typos }) : plain;
  const wide = typos ? matchAll(work, sets, filter) : match;
  if (wide.found.count > 0) return { words, ignored: [], typos, ...wide };
  return withoutSome(work, words, sets, filter);
}

/** @param {Work} work @param {PositionSet[]} sets @param {PositionSet} filter */
function matchAll(work, sets, filter) {
  const matched = intersect(work, sets);
  return { matched, found: intersect(work, [matched, filter]) };
}

/**
 * Drops the fewest words, later ones rather than earlier ones, and answers for the others.
 * @param {Work} work @param {QueryWord[]} words @param {PositionSet[]} sets what each matches @param {PositionSet} filter
 * @returns {Promise<TextMatch>}
 */
async function withoutSome(work, words, sets, filter) {
  const { most, products } = countWords(work, sets, filter);
  let left = products;
  await work.pause();
  const kept =
    most === 0
      ? []
      : words.filter((_, index) => {
          if (!haveCommon(left, sets[index])) return false;
          left = intersect(work, [left, sets[index]]);
          return true;
        });
  const ignored = words.filter((word) => !kept.includes(word)).map(({ text }) => text);
  if (kept.length > 0) return { ...(await matchText(work, kept, filter)), ignored };
  const none = PositionSet.empty(work.size);
  if (!filter.isAll) return { ...(await matchText(work, words, work.index.all)), found: none };
  return { words: [], ignored, typos: false, matched: none, found: none };
}

exports.matchText = matchText;
