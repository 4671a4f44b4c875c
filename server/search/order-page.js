'use strict';

const { bitAt } = require('./bits');

/** @typedef {import('./order').Order} Order */
/** @typedef {import('./position-set').PositionSet} PositionSet */
/**
 * @typedef {object} Start of a page
 * @property {number} [offset] products before it
 * @property {{ rank: number, inclusive: boolean }} [after] the rank that it comes behind, or that it begins with
 */

/**
 * Some products of a set in an order. In the descending one keys are reversed, and products of one key stay in id order.
 * @param {Order} order @param {PositionSet} set
 * @param {{ descending: boolean, start: Start, count: number }} page
 * @returns {number[]} ranks
 */
function ranksOfPage(order, set, page) {
  if (page.count === 0 || set.count === 0) return [];
  if (set.positions) return ofFew(order, set.positions, page);
  const walk = new Walk(order, /** @type {Int32Array} */ (set.bits), page.count);
  if (page.descending) walk.descend(page.start, set.count);
  else walk.ascend(page.start);
  return walk.ranks;
}

/** @param {Order} order @param {Int32Array} positions @param {Parameters<typeof ranksOfPage>[2]} page */
function ofFew(order, positions, { descending, start: { offset = 0, after }, count }) {
  const { ranks } = order;
  const sorted = positions.map((position) => ranks[position]).sort();
  const inOrder = descending ? reversedKeys(order, sorted) : sorted;
  let first = offset;
  if (after) {
    const isBehind = behind(order, descending, after);
    first = inOrder.findIndex(isBehind);
    if (first < 0) return [];
  }
  return [...inOrder.subarray(first, first + count)];
}

/** @param {Order} order @param {boolean} descending @param {{ rank: number, inclusive: boolean }} after */
function behind(order, descending, { rank, inclusive }) {
  const first = inclusive ? rank : rank + 1;
  if (!descending) return (/** @type {number} */ each) => each >= first;
  const [start, end] = [order.startOf(rank), order.endOf(rank)];
  return (/** @type {number} */ each) => each < start || (each >= first && each < end);
}

/** @param {Order} order @param {Int32Array} sorted ranks */
function reversedKeys(order, sorted) {
  const out = new Int32Array(sorted.length);
  for (let end = sorted.length; end > 0;) {
    const startRank = order.startOf(sorted[end - 1]);
    let start = end;
    while (start > 0 && sorted[start - 1] >= startRank) start -= 1;
    out.set(sorted.subarray(start, end), sorted.length - end);
    end = start;
  }
  return out;
}

/** A walk along an order that collects what is in dense bits. */
class Walk {
  #order;
  #bits;
  #count;
  #skip = 0;
  /** @type {number[]} */
  ranks = [];

  /** @param {Order} order @param {Int32Array} bits @param {number} count */
  constructor(order, bits, count) {
    this.#order = order;
    this.#bits = bits;
    this.#count = count;
  }

  /** @param {Start} start */
  ascend({ offset = 0, after }) {
    if (after) {
      this.#collect(after.inclusive ? after.rank : after.rank + 1, this.#order.size);
      return;
    }
    const { rank, before } = this.#order.steps.before(this.#bits, offset);
    this.#skip = offset - before;
    this.#collect(rank, this.#order.size);
  }

  /** @param {Start} start @param {number} total products of the set */
  descend({ offset = 0, after }, total) {
    let end;
    if (after) {
      this.#collect(after.inclusive ? after.rank : after.rank + 1, this.#order.endOf(after.rank));
      end = this.#order.startOf(after.rank);
    } else if (offset < total) {
      // The step behind which at most `offset` products come, moved to the end of the keys that it cuts.
      const rank = this.#order.steps.behind(this.#bits, offset, total);
      end = rank === 0 ? 0 : this.#order.endOf(rank - 1);
      this.#skip = offset - (total - this.#order.countBefore(this.#bits, end));
    } else {
      return;
    }
    while (end > 0 && this.ranks.length < this.#count) {
      const start = this.#order.startOf(end - 1);
      this.#collect(start, end);
      end = start;
    }
  }

  /** @param {number} from @param {number} to */
  #collect(from, to) {
    const { positions } = this.#order;
    for (let rank = from; rank < to && this.ranks.length < this.#count; rank += 1) {
      if (bitAt(this.#bits, positions[rank]) === 0) continue;
      if (this.#skip > 0) this.#skip -= 1;
      else this.ranks.push(rank);
    }
  }
}

exports.ranksOfPage = ranksOfPage;
