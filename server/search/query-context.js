'use strict';

const { Turn } = require('./turn-queue');

/** @typedef {import('./index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('./sets/ordinal-set').OrdinalSet} OrdinalSet */

/** One search has this to work with: an index, arrays that it gives back at its end, and a turn. */
class QueryContext {
  /** @type {Int32Array[]} */
  #taken = [];

  /** @param {SearchIndex} index @param {import('./turn-queue').TurnQueue} turns */
  constructor(index, turns) {
    this.index = index;
    this.size = index.size;
    this.turn = new Turn(turns);
  }

  /** @returns {Int32Array} of as many words as dense bits have, with any content; valid until `release` */
  take() {
    const array = this.index.takeArray();
    this.#taken.push(array);
    return array;
  }

  /** @param {import('./sets/set-cache').Wanted[]} wanted @returns {Promise<OrdinalSet[]>} in the same order */
  async sets(wanted) {
    const { sets, deltas } = this.index;
    let found = sets.held(wanted);
    if (!found) {
      found = await sets.get(wanted);
      await this.turn.next();
    }
    return deltas ? found.map((set, index) => deltas.apply(this, wanted[index].key, set)) : found;
  }

  /** The function that it returns gives back the arrays that are taken from now on. Sets that were made of them are invalid then. */
  mark() {
    const before = this.#taken.length;
    return () => this.index.giveArrays(this.#taken.splice(before));
  }

  /** @param {string} key @returns {Promise<OrdinalSet>} */
  async set(key) {
    const [set] = await this.sets([{ key }]);
    return set;
  }

  /** Gives the arrays back. Sets that were made of them are invalid. */
  release() {
    this.index.giveArrays(this.#taken);
    this.#taken = [];
  }
}

exports.QueryContext = QueryContext;
