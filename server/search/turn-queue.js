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

exports.TurnQueue = TurnQueue;
exports.Turn = Turn;
