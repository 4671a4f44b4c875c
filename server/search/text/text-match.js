'use strict';

const { matchesOf } = require('./matching');
const { haveCommon, OrdinalSet } = require('../sets/ordinal-set');
const { intersect, settle } = require('../sets/set-algebra');
const { addOrdinals } = require('../sets/bits');

/** @typedef {import('../sets/set-algebra').Memory} Memory */

/**
 * Finds the products that are in the most sets. Words of bits are counted 32 products at once: four planes hold the binary
 * digits of their counts, enough for 15 sets.
 * @param {Memory} memory @param {OrdinalSet[]} sets at most 15 @param {OrdinalSet} filter only these products count
 * @returns {{ most: number, products: OrdinalSet }} the largest count, and who has it
 */
function countWords(memory, sets, filter) {
  const rows = sets.map((set) => denseBits(memory, set));
  const allowed = denseBits(memory, filter);
  const out = memory.take();
  let most = 0;
  for (let i = 0; i < out.length; i += 1) {
    let ones = 0;
    let twos = 0;
    let fours = 0;
    let eights = 0;
    for (let row = 0; row < rows.length; row += 1) {
      const one = rows[row][i];
      const two = ones & one;
      const four = twos & two;
      eights ^= fours & four;
      fours ^= four;
      twos ^= two;
      ones ^= one;
    }
    let best = allowed[i];
    let count = 0;
    for (const [plane, weight] of /** @type {const} */ ([
      [eights, 8],
      [fours, 4],
      [twos, 2],
      [ones, 1],
    ])) {
      // prettier-ignore
      if ((best & plane) === 0) continue;
      best &= plane;
      count += weight;
    }
    if (count > most) {
      most = count;
      out.fill(0, 0, i);
    }
    out[i] = count === most ? best : 0;
  }
  return { most, products: settle(memory, out) };
}

/** @param {Memory} memory @param {OrdinalSet} set @returns {Int32Array} */
function denseBits(memory, { bits, ordinals }) {
  if (bits) return bits;
  const out = memory.take().fill(0);
  addOrdinals(out, /** @type {Int32Array} */ (ordinals));
  return out;
}

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
