'use strict';

const { setTimeout: pause } = require('node:timers/promises');

/** After a refusal the next attempt of the whole worker comes after this, plus up to 30 %. */
const PAUSE_MS = 1000;

/**
 * Opens all connections of a worker to a server, one at a time: when the database comes back, or refuses because it is full, a
 * worker tries once a second and not once per connection. When it gives too few, the connections without which no
 * read is answered come first.
 */
class Dialer {
  /** @typedef {{ connect: (accepted: () => void) => Promise<void>, rank: number, resolve: () => void }} Turn */

  /** @type {Turn[]} lowest rank first */
  #waiting = [];
  #dialing = false;
  #closed = new AbortController();
  #events;
  #server;

  /** @param {import('../core/events').Events} events @param {string} [server] its name in logs */
  constructor(events, server) {
    this.#events = events;
    this.#server = server;
  }

  /**
   * Tries until it succeeds, or until close().
   * @param {Turn['connect']} connect calls accepted() once the database has given it a connection
   * @param {number} [rank] the lower one goes first
   * @returns {Promise<void>}
   */
  dial(connect, rank = 0) {
    return new Promise((resolve) => {
      this.#wait({ connect, rank, resolve });
      if (!this.#dialing) this.#dialAll();
    });
  }

  get idle() {
    return !this.#dialing;
  }

  close() {
    this.#closed.abort();
  }

  /** Waits unless closed; a wait keeps no process alive. @param {number} delayMs */
  async pause(delayMs) {
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
  }

  /** @param {Turn} turn */
  #wait(turn) {
    this.#waiting.push(turn);
    this.#waiting.sort((one, other) => one.rank - other.rank);
  }

  async #dialAll() {
    this.#dialing = true;
    for (let turn = this.#waiting.shift(); turn; turn = this.#waiting.shift()) {
      let accepted = false;
      try {
        if (!this.#closed.signal.aborted) await turn.connect(() => (accepted = true));
        turn.resolve();
      } catch (error) {
        this.#events.emit('databaseRefused', /** @type {Error} */ (error), this.#server);
        // Refused, it keeps its rank, as the next one would be refused too; accepted, it failed at its own first query.
        if (accepted) this.#waiting.splice(1, 0, turn);
        else this.#wait(turn);
        await this.pause(PAUSE_MS * (1 + 0.3 * Math.random()));
      }
    }
    this.#dialing = false;
  }
}

exports.Dialer = Dialer;
