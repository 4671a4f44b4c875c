'use strict';

/** A search that has worked so long gives way. Stages between two looks at the clock are shorter than that. */
const WORK_MS = 2;

/** Turns of the event loop: at most one search works in each, so documents are answered between them. */
class TurnQueue {
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @returns {Promise<void>} resolves in a turn of its own */
  next() {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#give());
    });
  }

  #give() {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#give());
  }
}

/** The turn that one search has. */
class Turn {
  #turns;
  #sinceMs = 0;

  /** @param {TurnQueue} turns */
  constructor(turns) {
    this.#turns = turns;
  }

  /** Waits for another, as after each read: several may be answered in one turn. */
  async next() {
    await this.#turns.next();
    this.#sinceMs = performance.now();
  }

  /** Waits for another if this one has been long. Call it between stages. */
  async pause() {
    if (performance.now() - this.#sinceMs > WORK_MS) await this.next();
  }
}

/** @typedef {import('./index/search-index').SearchIndex} SearchIndex */
/** @typedef {import('./sets/ordinal-set').OrdinalSet} OrdinalSet */

/** One search has this to work with: an index and its tuning, arrays that it gives back at its end, and a turn. */
class QueryContext {
  /** @type {Int32Array[]} */
  #taken = [];

  /** @param {SearchIndex} index @param {import('./tuning/tuning').Tuning} tuning @param {Turn} turn */
  constructor(index, tuning, turn) {
    this.index = index;
    this.tuning = tuning;
    this.size = index.size;
    this.turn = turn;
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

  /** Reads at once what later steps need. @param {import('./sets/set-cache').Wanted[]} wanted */
  async prefetch(wanted) {
    const { sets } = this.index;
    if (sets.held(wanted)) return;
    await sets.get(wanted);
    await this.turn.next();
  }

  /** The function that it returns gives back the arrays that are taken from now on. Sets that were made of them are invalid then. */
  mark() {
    const before = this.#taken.length;
    return () => this.index.giveArrays(this.#taken.splice(before));
  }

  /** The scale of prices, or of the parameter of a declared field. @param {string} name @returns {Promise<import('./orders/scale').Scale>} */
  scale(name) {
    return this.index.scale(name, this.turn);
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
exports.Turn = Turn;
exports.TurnQueue = TurnQueue;
