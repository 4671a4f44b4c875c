'use strict';

const { FEW, matchesOf } = require('./matching');
const { haveCommon, OrdinalSet } = require('../sets/ordinal-set');
const { intersect } = require('../sets/set-algebra');

/** @typedef {import('./matching').QueryWord} QueryWord */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/**
 * @typedef {object} TextMatch
 * @property {QueryWord[]} words that all products have
 * @property {QueryWord[]} optional little words, which only order the products
 * @property {string[]} ignored words that were dropped
 * @property {boolean} typos whether typos count
 * @property {OrdinalSet} matched products that have the words, whatever filters say
 * @property {OrdinalSet} found those of them that pass the filters
 */

/** @typedef {Omit<TextMatch, 'optional'>} Match */

/**
 * Finds the products that have all words, in any text and form. With few of them, rare words may be two and typos count; with none, frequent words
 * may be two as well, and then words are dropped. A frequent word is not tried at once: its halves have the longest sets. Of the
 * products that pass the filters none may have a word: then the filters are why nothing is found, and the words stay as without them.
 * @param {QueryContext} context @param {QueryWord[]} words @param {OrdinalSet} filter products that pass the filters
 * @returns {Promise<Match>}
 */
async function matchWords(context, words, filter) {
  const plain = await matchesOf(context, words, 'a', { prefix: true, forms: true, typos: false });
  const match = { words, typos: false, sets: plain, ...matchAll(context, plain, filter) };
  if (match.found.count >= FEW) return asMatch(match);
  const rare = words.map((word, at) => (plain[at].count < FEW ? word.apart() : word));
  const some = await widened(context, match, rare, filter);
  if (some.found.count > 0) return asMatch(some);
  const all = words.map((word) => word.apart());
  const every = await widened(context, some, all, filter);
  return every.found.count > 0 ? asMatch(every) : withoutSome(context, words, every.sets, filter);
}

/** @typedef {Omit<Match, 'ignored'> & { sets: OrdinalSet[] }} Attempt `sets`: what each word matches */

/** @param {Attempt} attempt @returns {Match} */
const asMatch = ({ words, typos, matched, found }) => ({ words, ignored: [], typos, matched, found });

/**
 * The attempt with wider words, which may have typos; itself where nothing is wider.
 * @param {QueryContext} context @param {Attempt} attempt @param {QueryWord[]} words @param {OrdinalSet} filter @returns {Promise<Attempt>}
 */
async function widened(context, attempt, words, filter) {
  let { typos } = attempt;
  for (const word of words) {
    await word.findNearest(context);
    typos = word.nearest.distance > 0 || typos;
    await context.turn.pause();
  }
  if (typos === attempt.typos && words.every((word, at) => word === attempt.words[at])) return attempt;
  const sets = await matchesOf(context, words, 'a', { prefix: true, forms: true, typos });
  return { words, typos, sets, ...matchAll(context, sets, filter) };
}

/** @param {QueryContext} context @param {OrdinalSet[]} sets @param {OrdinalSet} filter */
function matchAll(context, sets, filter) {
  const matched = intersect(context, sets);
  return { matched, found: intersect(context, [matched, filter]) };
}

/**
 * Keeps the words that the fewest products have, of equal ones numbers and then later ones, as long as a product has all of them: "navy blue
 * jacket" ends with the thing that is wanted. Answers for these.
 * @param {QueryContext} context @param {QueryWord[]} words @param {OrdinalSet[]} sets what each matches @param {OrdinalSet} filter
 * @returns {Promise<Match>}
 */
async function withoutSome(context, words, sets, filter) {
  const byWorth = words
    .map((word, at) => ({ word, set: sets[at], at }))
    .sort((a, b) => a.set.count - b.set.count || Number(b.word.isNumber) - Number(a.word.isNumber) || b.at - a.at);
  let left = filter;
  const worthy = new Set();
  for (const { word, set } of byWorth) {
    if (!haveCommon(left, set)) continue;
    left = intersect(context, [left, set]);
    worthy.add(word);
    await context.turn.pause();
  }
  const kept = words.filter((word) => worthy.has(word));
  const ignored = words.filter((word) => !worthy.has(word)).map(({ text }) => text);
  if (kept.length > 0) return { ...(await matchWords(context, kept, filter)), ignored };
  const none = OrdinalSet.empty(context.size);
  if (!filter.isAll) return { ...(await matchWords(context, words, context.index.all)), found: none };
  return { words: [], ignored, typos: false, matched: none, found: none };
}

/**
 * @param {QueryContext} context
 * @param {{ words: QueryWord[], optional: QueryWord[], ignored: string[] }} text `ignored`: beyond what is read
 * @param {OrdinalSet} filter products that pass the filters @returns {Promise<TextMatch>}
 */
async function matchText(context, { words, optional, ignored }, filter) {
  if (words.length > 0) {
    const match = await matchWords(context, words, filter);
    return { ...match, optional, ignored: [...match.ignored, ...ignored] };
  }
  // Signs alone find nothing; without any text, everything is found.
  const none = OrdinalSet.empty(context.size);
  const [matched, found] = ignored.length > 0 ? [none, none] : [context.index.all, filter];
  return { words, optional, ignored, typos: false, matched, found };
}

exports.matchText = matchText;
