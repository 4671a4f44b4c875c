'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { EVENTS } = require('../events');

/** After a refusal the next attempt of the whole worker comes after this, plus up to 30 %. */
const PAUSE_MS = 1000;

/**
 * All connections of a worker are opened here, one at a time: when the database comes back, or refuses
 * because it is full, a worker asks once a second and not once per connection.
 */
class Dialer {
  #turn = Promise.resolve();
  #closed = new AbortController();
  #events;

  /** @param {import('../events').Events} events */
  constructor(events) {
    this.#events = events;
  }

  /**
   * Tries until it succeeds, or until close().
   * @param {() => Promise<void>} connect
   * @returns {Promise<void>}
   */
  dial(connect) {
    const dialed = this.#turn.then(() => this.#untilConnected(connect));
    this.#turn = dialed;
    return dialed;
  }

  close() {
    this.#closed.abort();
  }

  /** Waits unless closed; a wait keeps no process alive. @param {number} delayMs */
  async pause(delayMs) {
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
  }

  /** @param {() => Promise<void>} connect */
  async #untilConnected(connect) {
    while (!this.#closed.signal.aborted) {
      try {
        return await connect();
      } catch (error) {
        this.#events.emit(EVENTS.databaseRefused, error);
        await this.pause(PAUSE_MS * (1 + 0.3 * Math.random()));
      }
    }
  }
}

exports.Dialer = Dialer;
