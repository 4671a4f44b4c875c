'use strict';

const { addOrdinals, bitAt, wordsFor } = require('../sets/bits');
const { fold } = require('../../client/words.js');

/** So many names are read at a time. */
const NAMES = 500;

/** @typedef {{ id: number, folded: Buffer, name: Buffer }} Named */
/** @typedef {(ids: number[]) => Promise<Map<number, string>>} ReadNames */
/** @typedef {{ named: Named, low: number, high: number }} Wanted its rank is from `low` to `high` */

/** @param {number} id @param {string} name @returns {Named} */
const namedOf = (id, name) => ({ id, folded: Buffer.from(fold(name)), name: Buffer.from(name) });

/** As db/search/name_order.sql sorts. @param {Named} a @param {Named} b */
const compareNames = (a, b) =>
  Buffer.compare(a.folded, b.folded) || Buffer.compare(a.name, b.name) || Math.sign(a.id - b.id);

/**
 * The ranks at which names belong in the order of names. A worker holds no names, so a search reads those of some products between which a name
 * may be, then of some closer ones.
 * @param {{ order: import('../orders/order').Order, ids: import('../orders/ids').Ids, gone: Int32Array }} index `gone`: products whose name is another by now
 * @param {Named[]} names @param {ReadNames} read
 * @returns {Promise<number[]>} the rank before which each belongs
 */
async function nameRanks({ order, ids, gone }, names, read) {
  /** @type {Wanted[]} */
  const all = names.map((named) => ({ named, low: 0, high: order.length }));
  for (let open = all; (open = open.filter(({ low, high }) => low < high)).length > 0;) {
    const some = open.slice(0, NAMES);
    const each = Math.max(1, Math.floor(NAMES / some.length));
    const looks = some.map((wanted) => looksBetween(wanted, each, (rank) => bitAt(gone, order.ordinals[rank]) === 0));
    const idAt = (/** @type {number} */ rank) => ids.at(order.ordinals[rank]);
    const known = await read([...new Set(looks.flat().map(idAt))]);
    for (const [index, wanted] of some.entries()) narrow(wanted, looks[index], (rank) => namedAt(known, idAt(rank)));
  }
  return all.map(({ low }) => low);
}

/** @param {Map<number, string>} known @param {number} id */
function namedAt(known, id) {
  const name = known.get(id);
  return name === undefined ? undefined : namedOf(id, name);
}

/** Ranks to look at, which divide the range. @param {Wanted} wanted @param {number} most @param {(rank: number) => boolean} stays */
function looksBetween({ low, high }, most, stays) {
  /** @type {Set<number>} */
  const ranks = new Set();
  for (let part = 1; part <= most; part += 1) {
    let rank = low + Math.floor(((high - low) * part) / (most + 1));
    while (rank < high && !stays(rank)) rank += 1;
    if (rank < high) ranks.add(rank);
  }
  for (let rank = high - 1; ranks.size === 0 && rank >= low; rank -= 1) if (stays(rank)) ranks.add(rank);
  return [...ranks].sort((a, b) => a - b);
}

/**
 * A product that was deleted after the names were read ends the search: the caller reads again what was written meanwhile.
 * @param {Wanted} wanted @param {number[]} looks ascending @param {(rank: number) => Named | undefined} at
 */
function narrow(wanted, looks, at) {
  if (looks.length === 0) wanted.low = wanted.high;
  for (const rank of looks) {
    const named = at(rank);
    if (named && compareNames(named, wanted.named) < 0) {
      wanted.low = rank + 1;
      continue;
    }
    wanted.high = named ? rank : wanted.low;
    return;
  }
}

/** @typedef {import('../index/search-index').Parts} Parts of an index that is being made */
/** @typedef {{ size: number, cache: import('../orders/order').Cache, turn: import('../query-context').Turn }} Options */

/**
 * The order by name, with products whose name is another where they belong.
 * @param {Parts} parts @param {import('./delta').Renamed[]} renamed @param {Options & { names: ReadNames }} options
 */
async function movedByName({ ids, byName: order }, renamed, options) {
  const gone = goneOf(renamed, options.size);
  const coming = renamed.flatMap(({ id, ordinal, to }) => (to === null ? [] : [{ ordinal, named: namedOf(id, to) }]));
  const wanted = coming.map(({ named }) => named);
  const ranks = await nameRanks({ order, ids, gone }, wanted, options.names);
  const come = coming.map(({ ordinal, named }, at) => ({ rank: ranks[at], ordinal, named }));
  come.sort((a, b) => a.rank - b.rank || compareNames(a.named, b.named));
  return order.moved({ gone, come }, options);
}

/** @param {{ ordinal: number, from: string | null }[]} moved @param {number} size @returns {Int32Array} bits of those that leave a place */
function goneOf(moved, size) {
  const bits = new Int32Array(wordsFor(size));
  const leaving = moved.filter(({ from }) => from !== null);
  addOrdinals(
    bits,
    leaving.map(({ ordinal }) => ordinal),
  );
  return bits;
}

exports.movedByName = movedByName;
