'use strict';

const { Pace } = require('./turn-queue');

/** @typedef {import('./index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('./sets/position-set').PositionSet} PositionSet */

/** What one search works with: an index, arrays that it gives back at its end, and pauses. */
class Work {
  #pace;
  /** @type {Int32Array[]} */
  #taken = [];

  /** @param {SearchIndex} index @param {import('./turn-queue').Turns} turns */
  constructor(index, turns) {
    this.index = index;
    this.size = index.size;
    this.#pace = new Pace(turns);
  }

  /** @returns {Int32Array} of as many words as dense bits have, with any content; valid until `release` */
  take() {
    const array = this.index.takeArray();
    this.#taken.push(array);
    return array;
  }

  /** @param {import('./sets/set-cache').Wanted[]} wanted @returns {Promise<PositionSet[]>} in the same order */
  async sets(wanted) {
    const { sets, patches } = this.index;
    let found = sets.held(wanted);
    if (!found) {
      found = await sets.get(wanted);
      await this.#pace.turn();
    }
    return patches ? found.map((set, index) => patches.apply(this, wanted[index].key, set)) : found;
  }

  /** What gives back the arrays that are taken from now on: the sets that were made of them are invalid then. */
  mark() {
    const before = this.#taken.length;
    return () => this.index.giveArrays(this.#taken.splice(before));
  }

  /** @param {string} key @returns {Promise<PositionSet>} */
  async set(key) {
    const [set] = await this.sets([{ key }]);
    return set;
  }

  turn() {
    return this.#pace.turn();
  }

  /** Gives way if the search has worked for long. Call it between stages. */
  pause() {
    return this.#pace.pause();
  }

  /** Gives the arrays back. Sets that were made of them are invalid. */
  release() {
    this.index.giveArrays(this.#taken);
    this.#taken = [];
  }
}

exports.Work = Work;
