'use strict';

const { addOrdinals, wordsFor } = require('../sets/bits');
const { countBoth } = require('../sets/kernel');

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

exports.OrderSteps = OrderSteps;
