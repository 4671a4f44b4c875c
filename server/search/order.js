'use strict';

const { addPositions, bitAt, removeFrom, removePositions } = require('./bits');
const { countBoth } = require('./kernel');
const { OrderSteps } = require('./order-steps');
const { PositionSet } = require('./position-set');
const { settle } = require('./set-algebra');

/** A range of at most this share of the catalog is made product by product, a larger one from steps. */
const SMALL_SHARE = 1 / 20;

/** @typedef {import('./order-steps').Cache} Cache */
/** @typedef {import('./set-algebra').Memory} Memory */

/** All products by price or name, then id. A *rank* is an index of this order. */
class Order {
  #name;
  #cache;

  /**
   * @param {string} name
   * @param {Int32Array} positions by rank
   * @param {Cache} cache holds what is computed from them
   */
  constructor(name, positions, cache) {
    this.#name = name;
    this.#cache = cache;
    this.positions = positions;
    this.size = positions.length;
    this.steps = new OrderSteps(name, positions, cache);
  }

  /** @returns {Int32Array} ranks by position */
  get ranks() {
    const { ranks } = this.#cache.derived(`ranks of ${this.#name}`, () => {
      const made = new Int32Array(this.size);
      for (let rank = 0; rank < this.size; rank += 1) made[this.positions[rank]] = rank;
      return { ranks: made, bytes: made.byteLength };
    });
    return ranks;
  }

  /** How many products of a dense set come before a rank. @param {Int32Array} bits @param {number} end */
  countBefore(bits, end) {
    const { edge, bits: before } = this.steps.nearest(end);
    let count = countBoth(bits, before);
    for (let rank = edge; rank < end; rank += 1) count += bitAt(bits, this.positions[rank]);
    for (let rank = end; rank < edge; rank += 1) count -= bitAt(bits, this.positions[rank]);
    return count;
  }

  /** The products of some ranks. @param {Memory} memory @param {number} from @param {number} to behind the last */
  range(memory, from, to) {
    if (to <= from) return PositionSet.empty(this.size);
    if (to - from <= this.size * SMALL_SHARE) {
      const bits = memory.take().fill(0);
      addPositions(bits, this.positions, from, to);
      return settle(memory, bits);
    }
    const bits = this.#upTo(memory.take(), to);
    if (from > 0) removeFrom(bits, this.#upTo(memory.take(), from));
    return new PositionSet(this.size, to - from, { bits });
  }

  /** @param {Int32Array} out @param {number} end @returns {Int32Array} bits of all products before a rank */
  #upTo(out, end) {
    const { edge, bits } = this.steps.nearest(end);
    out.set(bits);
    addPositions(out, this.positions, edge, end);
    removePositions(out, this.positions, end, edge);
    return out;
  }
}

exports.Order = Order;
