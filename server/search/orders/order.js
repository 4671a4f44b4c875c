'use strict';

const { addOrdinals, bitAt, removeFrom, removeOrdinals } = require('../sets/bits');
const { countBoth } = require('../sets/kernel');
const { OrderSteps } = require('./order-steps');
const { OrdinalSet } = require('../sets/ordinal-set');
const { settle } = require('../sets/set-algebra');

/** A range of at most this share of the catalog is made product by product, a larger one from steps. */
const SMALL_SHARE = 1 / 20;
/** Ranks that are moved between two looks at the clock. */
const MOVE_RANKS = 100_000;

/** @typedef {import('./order-steps').Cache} Cache */
/** @typedef {import('../sets/set-algebra').Memory} Memory */

/** All products by price or name, then id. A *rank* is an index of this order. */
class Order {
  #name;
  #cache;

  /**
   * @param {string} name
   * @param {Int32Array} ordinals by rank
   * @param {Cache} cache holds what is computed from them
   * @param {number} size of sets; less are in the order when some ordinals have no product
   */
  constructor(name, ordinals, cache, size = ordinals.length) {
    this.#name = name;
    this.#cache = cache;
    this.ordinals = ordinals;
    this.length = ordinals.length;
    this.size = size;
    this.steps = new OrderSteps(name, ordinals, cache, size);
  }

  /** @returns {Int32Array} ranks by ordinal */
  get ranks() {
    const { ranks } = this.#cache.derived(
      `ranks of ${this.#name}`,
      () => {
        const made = new Int32Array(this.size);
        for (let rank = 0; rank < this.length; rank += 1) made[this.ordinals[rank]] = rank;
        return { ranks: made, bytes: made.byteLength };
      },
      this.ordinals,
    );
    return ranks;
  }

  /** How many products of a dense set come before a rank. @param {Int32Array} bits @param {number} end */
  countBefore(bits, end) {
    const { edge, bits: before } = this.steps.nearest(end);
    let count = countBoth(bits, before);
    for (let rank = edge; rank < end; rank += 1) count += bitAt(bits, this.ordinals[rank]);
    for (let rank = end; rank < edge; rank += 1) count -= bitAt(bits, this.ordinals[rank]);
    return count;
  }

  /** The products of some ranks. @param {Memory} memory @param {number} from @param {number} to behind the last */
  range(memory, from, to) {
    if (to <= from) return OrdinalSet.empty(this.size);
    if (to - from <= this.length * SMALL_SHARE || OrdinalSet.isSparse(this.size, to - from)) {
      const bits = memory.take().fill(0);
      addOrdinals(bits, this.ordinals, from, to);
      return settle(memory, bits);
    }
    const bits = this.#upTo(memory.take(), to);
    if (from > 0) removeFrom(bits, this.#upTo(memory.take(), from));
    return new OrdinalSet(this.size, to - from, { bits }, to - from === this.length);
  }

  /**
   * The order after a write.
   * @param {object} moves
   * @param {Int32Array} moves.gone bits of products that are where they were no longer
   * @param {{ rank: number, ordinal: number }[]} moves.come products before which rank they belong, in order
   * @param {{ size: number, cache: Cache, turn: import('../turn-queue').Turn }} options `size` of sets
   */
  async moved({ gone, come }, { size, cache, turn }) {
    const ordinals = new Int32Array(this.length + come.length);
    let written = 0;
    let next = 0;
    for (let rank = 0; rank <= this.length; rank += 1) {
      for (; next < come.length && come[next].rank === rank; next += 1) ordinals[written++] = come[next].ordinal;
      if (rank < this.length && bitAt(gone, this.ordinals[rank]) === 0) ordinals[written++] = this.ordinals[rank];
      if (rank % MOVE_RANKS === 0) await turn.pause();
    }
    return new Order(this.#name, ordinals.subarray(0, written), cache, size);
  }

  /** The same order for sets of another size. @param {{ size: number, cache: Cache }} options */
  over({ size, cache }) {
    return new Order(this.#name, this.ordinals, cache, size);
  }

  /** @param {Int32Array} out @param {number} end @returns {Int32Array} bits of all products before a rank */
  #upTo(out, end) {
    const { edge, bits } = this.steps.nearest(end);
    out.set(bits);
    addOrdinals(out, this.ordinals, edge, end);
    removeOrdinals(out, this.ordinals, end, edge);
    return out;
  }
}

exports.Order = Order;
