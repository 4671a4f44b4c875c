'use strict';

const { addOrdinals, bitAt, removeFrom, removeOrdinals, wordsFor } = require('../sets/bits');
const { countBoth } = require('../sets/kernel');
const { OrdinalSet } = require('../sets/ordinal-set');
const { settle } = require('../sets/set-algebra');

const STEPS = 20;

/** @typedef {{ derived: <T extends { bytes: number }>(name: string, make: () => T, source: object) => T }} Cache */

/**
 * An order, cut into steps of as many products. The products of the first 0, 1, … steps are kept as bits, so that few counts find
 * the step in which a page begins.
 */
class OrderSteps {
  #name;
  #ordinals;
  #cache;
  #size;

  /** @param {string} name @param {Int32Array} ordinals by rank @param {Cache} cache that holds the bits @param {number} size of sets */
  constructor(name, ordinals, cache, size) {
    this.#name = name;
    this.#ordinals = ordinals;
    this.#cache = cache;
    this.#size = size;
  }

  /** The bits of some steps with the edge that is nearest to a rank. @param {number} rank */
  nearest(rank) {
    const step = Math.round((rank * STEPS) / Math.max(1, this.#ordinals.length));
    return { edge: this.#edge(step), bits: this.#bits[step] };
  }

  /**
   * The last step before which a dense set has at most some products.
   * @param {Int32Array} bits @param {number} offset
   * @returns {{ rank: number, passed: number }} where that step begins, and the products before it
   */
  before(bits, offset) {
    const count = (/** @type {number} */ step) => countBoth(bits, this.#bits[step]);
    const step = lastThat((each) => count(each) <= offset);
    return { rank: this.#edge(step), passed: step === 0 ? 0 : count(step) };
  }

  /**
   * The first step behind which a dense set has at most some products.
   * @param {Int32Array} bits @param {number} offset @param {number} total products of the set
   * @returns {{ rank: number, passed: number }} the rank where the products behind it begin, and their number
   */
  behind(bits, offset, total) {
    const count = (/** @type {number} */ step) => total - countBoth(bits, this.#bits[STEPS - step]);
    const step = lastThat((each) => count(each) <= offset);
    return { rank: this.#edge(STEPS - step), passed: step === 0 ? 0 : count(step) };
  }

  /** @param {number} step */
  #edge(step) {
    return Math.floor((step * this.#ordinals.length) / STEPS);
  }

  /** @returns {Int32Array[]} */
  get #bits() {
    const { bits } = this.#cache.derived(
      `steps of ${this.#name}`,
      () => {
        const steps = [new Int32Array(wordsFor(this.#size))];
        for (let step = 1; step <= STEPS; step += 1) {
          steps[step] = steps[step - 1].slice();
          addOrdinals(steps[step], this.#ordinals, this.#edge(step - 1), this.#edge(step));
        }
        return { bits: steps, bytes: steps.length * steps[0].byteLength };
      },
      this.#ordinals,
    );
    return bits;
  }
}

/**
 * The last step for which a test holds that holds up to some step. It tries near ones first: most pages are early.
 * @param {(step: number) => boolean} test holds for 0
 */
function lastThat(test) {
  let [low, width] = [0, 1];
  while (low + width <= STEPS && test(low + width)) {
    low += width;
    width *= 2;
  }
  let high = Math.min(low + width, STEPS + 1);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A range of at most this share of the catalog is made product by product, a larger one from steps. */
const SMALL_SHARE = 1 / 20;
/** Ranks that are moved between two looks at the clock. */
const MOVE_RANKS = 100_000;

/** @typedef {import('../sets/set-algebra').Memory} Memory */

/** Products by name, or by a value, then id. A *rank* is an index of this order. */
class Order {
  #name;
  #cache;

  /**
   * @param {string} name
   * @param {Int32Array} ordinals by rank
   * @param {Cache} cache holds what is computed from them
   * @param {{ size?: number, isWhole?: boolean }} [options] `size` of sets, in which some ordinals may have no product; `isWhole`: all products are in the order
   */
  constructor(name, ordinals, cache, { size = ordinals.length, isWhole = true } = {}) {
    this.#name = name;
    this.#cache = cache;
    this.ordinals = ordinals;
    this.length = ordinals.length;
    this.size = size;
    this.isWhole = isWhole;
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
    return new OrdinalSet(this.size, to - from, { bits }, this.isWhole && to - from === this.length);
  }

  /**
   * The order after a write.
   * @param {object} moves
   * @param {Int32Array} moves.gone bits of products that are where they were no longer
   * @param {{ rank: number, ordinal: number }[]} moves.come products before which rank they belong, in order
   * @param {{ size: number, cache: Cache, turn: import('../query-context').Turn }} options `size` of sets
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
    return new Order(this.#name, ordinals.subarray(0, written), cache, { size, isWhole: this.isWhole });
  }

  /** The same order for sets of another size. @param {{ size: number, cache: Cache }} options */
  over({ size, cache }) {
    return new Order(this.#name, this.ordinals, cache, { size, isWhole: this.isWhole });
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
