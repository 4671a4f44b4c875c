'use strict';

const { Pace } = require('./turns');

/** @typedef {import('./search-index').SearchIndex} SearchIndex */
/** @typedef {import('./position-set').PositionSet} PositionSet */

/** What one search works with: an index, arrays that it gives back at its end, and pauses. */
class Work {
  #pace;
  /** @type {Int32Array[]} */
  #taken = [];

  /** @param {SearchIndex} index @param {import('./turns').Turns} turns */
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

  /** @param {import('./set-cache').Wanted[]} wanted @returns {Promise<PositionSet[]>} in the same order */
  async sets(wanted) {
    const held = this.index.sets.held(wanted);
    if (held) return held;
    const read = await this.index.sets.get(wanted);
    await this.#pace.turn();
    return read;
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
