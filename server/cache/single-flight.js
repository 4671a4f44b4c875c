'use strict';

/** At most one run per key at a time; everyone who asks meanwhile gets its result, or its error. */
class SingleFlight {
  /** @type {Map<string, Promise<any>>} */
  #running = new Map();

  /** @param {string} key @returns {Promise<any> | undefined} the run to join, if there is one */
  joinable(key) {
    return this.#running.get(key);
  }

  /**
   * @template T
   * @param {string} key
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  run(key, work) {
    const running = this.#running.get(key);
    if (running) return running;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  get size() {
    return this.#running.size;
  }
}

exports.SingleFlight = SingleFlight;
