'use strict';

/** A search that has worked so long gives way. Stages between two looks at the clock are shorter than that. */
const WORK_MS = 2;

/** Gives turns of the event loop: at most one search works in each, so documents are answered between them. */
class Turns {
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

/** The pauses of one search. */
class Pace {
  #turns;
  #sinceMs = 0;

  /** @param {Turns} turns */
  constructor(turns) {
    this.#turns = turns;
  }

  /** Waits for a turn, as after each read: several may be answered in one turn. */
  async turn() {
    await this.#turns.next();
    this.#sinceMs = performance.now();
  }

  /** Waits for another turn if this one has been long. */
  async pause() {
    if (performance.now() - this.#sinceMs > WORK_MS) await this.turn();
  }
}

exports.Turns = Turns;
exports.Pace = Pace;
