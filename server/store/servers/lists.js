'use strict';

/** Lists show many products, so any write makes them new: under constant writes this often. */
const LIST_EPOCH_MS = 1000;
/** And this often while clients wait to read their own writes. */
const HURRIED_EPOCH_MS = 250;

/** @typedef {Pick<import('./log-reads').Status, 'token' | 'listedSeq' | 'countedSeq'>} State of the log, as far as lists show it */

/** What the cache keys of lists, searches and other replies with several products carry: it moves at once with a load, and with writes at most once a second. */
class Lists {
  /** Version and last commit that changed what lists show. */
  stamp = '';
  /** The same of the commits that added or removed products. */
  counts = '';
  /** @type {State | undefined} */
  #shown;
  /** @type {State | undefined} */
  #latest;
  #movedMs = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {State} state */
  follow(state) {
    this.#latest = state;
    if (state.token !== this.#shown?.token) this.#move();
    else if (state.listedSeq !== this.#shown.listedSeq) this.#moveInTime();
  }

  /** Whether lists show the latest state. If not, they do soon. */
  hurry() {
    if (performance.now() - this.#movedMs >= HURRIED_EPOCH_MS && !this.#isLatest) this.#move();
    return this.#isLatest;
  }

  get #isLatest() {
    return this.#shown?.listedSeq === this.#latest?.listedSeq;
  }

  #moveInTime() {
    const leftMs = this.#movedMs + LIST_EPOCH_MS - performance.now();
    if (leftMs <= 0) this.#move();
    else this.#timer ??= setTimeout(() => this.#move(), leftMs).unref();
  }

  #move() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { token, listedSeq, countedSeq } = /** @type {State} */ (this.#latest);
    this.#shown = this.#latest;
    this.#movedMs = performance.now();
    this.stamp = `${token}.${listedSeq}`;
    this.counts = `${token}.${countedSeq}`;
  }
}

exports.Lists = Lists;
