'use strict';

const { addOrdinals } = require('../sets/bits');
const { settle } = require('../sets/set-algebra');
const { firstThat } = require('./ids');
const { Order } = require('./order');

/** Changes that are made between two looks at the clock. */
const CHANGES = 1000;

/** @typedef {import('../sets/set-algebra').Memory} Memory @typedef {import('./scale-values').ScaleValues} ScaleValues */
/** @typedef {{ value: string, ordinal: number, isIn: boolean }} ScaleChange a product gets or loses a value */

/** Products by a number or date, then id. A product of several values is there once for each, one without a value not at all. */
class Scale {
  #name;

  /**
   * @param {string} name @param {Order} order @param {ScaleValues} values of its ranks
   * @param {import('./scale-values').Compare} compare @param {boolean} hasRepeats whether products may have several values
   */
  constructor(name, order, values, compare, hasRepeats = false) {
    this.#name = name;
    this.order = order;
    this.values = values;
    this.compare = compare;
    this.hasRepeats = hasRepeats;
  }

  /** The products of some ranks. @param {Memory} memory @param {number} from @param {number} to behind the last */
  range(memory, from, to) {
    if (!this.hasRepeats) return this.order.range(memory, from, to);
    const bits = memory.take().fill(0);
    addOrdinals(bits, this.order.ordinals, from, to);
    return settle(memory, bits);
  }

  /** The products with a value within bounds. @param {Memory} memory @param {string | null} min @param {string | null} max both included; null: no bound */
  within(memory, min, max) {
    const { from, to } = this.values.ranksWithin(min, max);
    return this.range(memory, from, to);
  }

  /** The products with a value. @param {Memory} memory */
  having(memory) {
    return this.range(memory, 0, this.order.length);
  }

  /**
   * The scale after a write.
   * @param {ScaleChange[]} changes
   * @param {{ ids: import('./ids').Ids, size: number, cache: import('./order').Cache, turn: import('../query-context').Turn }} options `size` of sets
   */
  async changed(changes, { ids, size, cache, turn }) {
    if (changes.length === 0) return size === this.order.size ? this : this.#with(this.order.over({ size, cache }));
    const sorted = changes.map((change) => ({ ...change, id: ids.at(change.ordinal) }));
    sorted.sort((a, b) => this.compare(a.value, b.value) || a.id - b.id);
    const old = this.order.ordinals;
    const made = new Int32Array(old.length + changes.length);
    /** @type {{ value: string, more: number }[]} */
    const counts = [];
    let [from, written] = [0, 0];
    for (const [index, { value, ordinal, isIn, id }] of sorted.entries()) {
      const line = this.values.ranksWithin(value, value);
      const rank = line.from + firstThat(line.to - line.from, (at) => ids.at(old[line.from + at]) >= id);
      made.set(old.subarray(from, rank), written);
      written += rank - from;
      from = isIn ? rank : rank + 1;
      if (isIn) made[written++] = ordinal;
      const last = counts.at(-1);
      if (last && this.compare(last.value, value) === 0) last.more += isIn ? 1 : -1;
      else counts.push({ value, more: isIn ? 1 : -1 });
      if (index % CHANGES === 0) await turn.pause();
    }
    made.set(old.subarray(from), written);
    const ordinals = made.subarray(0, written + old.length - from);
    const order = new Order(this.#name, ordinals, cache, { size, isWhole: this.order.isWhole });
    return this.#with(order, this.values.changed(counts));
  }

  /** @param {Order} order @param {ScaleValues} [values] */
  #with(order, values = this.values) {
    return new Scale(this.#name, order, values, this.compare, this.hasRepeats);
  }
}

exports.Scale = Scale;
