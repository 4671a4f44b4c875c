'use strict';

const { addOrdinals, wordsFor } = require('../sets/bits');
const { firstThat } = require('../orders/ids');
const { compareDecimals } = require('../orders/prices');
const { compareNames, nameRanks, namedOf } = require('./name-ranks');

/** @typedef {import('../index/search-index').Parts} Parts of an index that is being made */
/** @typedef {import('./writes').Write} Write */
/** @typedef {{ size: number, cache: import('../orders/order-steps').Cache, turn: import('../turn-queue').Turn }} Options */

/** The prices and their order after writes. @param {Parts} parts @param {Write[]} writes @param {Options} options */
async function movedByPrice(parts, writes, options) {
  const moved = writes
    .map(({ id, ordinal, price }) => ({ id, ordinal, ...price }))
    .filter(({ from, to }) => from !== to);
  if (moved.length === 0) return {};
  const { ids, prices, byPrice: order } = parts;
  /** @type {Map<string, number>} */
  const changes = new Map();
  const count = (/** @type {string | null} */ price, /** @type {number} */ by) => {
    if (price !== null) changes.set(price, (changes.get(price) ?? 0) + by);
  };
  const come = moved.flatMap(({ id, ordinal, from, to }) => {
    count(from, -1);
    count(to, 1);
    if (to === null) return [];
    const equal = prices.ranksWithin(to, to);
    const rank =
      equal.from + firstThat(equal.to - equal.from, (index) => ids.at(order.ordinals[equal.from + index]) > id);
    return [{ rank, ordinal, id, price: to }];
  });
  come.sort((a, b) => a.rank - b.rank || compareDecimals(a.price, b.price) || a.id - b.id);
  const byPrice = await order.moved({ gone: goneOf(moved, options.size), come }, options);
  return { byPrice, prices: prices.changed(changes) };
}

/**
 * The order by name, with products whose name is another where they belong.
 * @param {Parts} parts @param {import('./delta').Renamed[]} renamed @param {Options & { names: import('./name-ranks').ReadNames }} options
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

exports.movedByPrice = movedByPrice;
exports.movedByName = movedByName;
