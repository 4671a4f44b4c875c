'use strict';

const { bitAt } = require('../sets/bits');
const { seek } = require('../sets/sorted');

/** @typedef {import('./order').Order} Order */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/**
 * @typedef {object} Start of a page
 * @property {number} [offset] products before it
 * @property {number} [edge] instead: it has ranks from this one on, or, when descending, ranks below it
 */
/** @typedef {{ descending: boolean, start: Start, count: number }} Page */

/** Some products of a set in an order or its reverse. @param {Order} order @param {OrdinalSet} set @param {Page} page @returns {number[]} ranks */
function ranksOfPage(order, set, page) {
  if (page.count === 0 || set.count === 0) return [];
  if (set.ordinals) return ofFew(order.ranks, set.ordinals, page);
  return ofMany(order, { bits: /** @type {Int32Array} */ (set.bits), total: set.count }, page);
}

/** @param {Int32Array} ranks by ordinal @param {Int32Array} ordinals @param {Page} page */
function ofFew(ranks, ordinals, { descending, start: { offset = 0, edge }, count }) {
  const sorted = ordinals.map((ordinal) => ranks[ordinal]).sort();
  if (descending) {
    const end = edge === undefined ? Math.max(0, sorted.length - offset) : seek(sorted, 0, edge);
    return [...sorted.subarray(Math.max(0, end - count), end)].reverse();
  }
  const first = edge === undefined ? offset : seek(sorted, 0, edge);
  return [...sorted.subarray(first, first + count)];
}

/** Walks along the order. @param {Order} order @param {{ bits: Int32Array, total: number }} set @param {Page} page */
function ofMany({ ordinals, length, steps }, { bits, total }, { descending, start: { offset = 0, edge }, count }) {
  const nearest = () => (descending ? steps.behind(bits, offset, total) : steps.before(bits, offset));
  const { rank, passed } = edge === undefined ? nearest() : { rank: edge, passed: offset };
  /** @type {number[]} */
  const found = [];
  let skip = offset - passed;
  const way = descending ? -1 : 1;
  for (let at = descending ? rank - 1 : rank; at >= 0 && at < length && found.length < count; at += way) {
    if (bitAt(bits, ordinals[at]) === 0) continue;
    if (skip > 0) skip -= 1;
    else found.push(at);
  }
  return found;
}

exports.ranksOfPage = ranksOfPage;
