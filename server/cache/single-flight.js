'use strict';

/** At most one run per key at a time; requests that join it get its result, or its error. */
class SingleFlight {
  /** @type {Map<string, Promise<any>>} */
  #running = new Map();

  /** @param {string} key @returns {Promise<any> | undefined} the run to join, if there is one */
  joinable(key) {
    return this.#running.get(key);
  }

  /**
   * @template T
   * @param {string} key that has no run to join
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  start(key, work) {
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}

exports.SingleFlight = SingleFlight;
