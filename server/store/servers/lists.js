'use strict';

/** Lists show many products, so any write makes them new: under constant writes this often. */
const LIST_EPOCH_MS = 1000;
/** And this often while clients wait to read their own writes. */
const HURRIED_EPOCH_MS = 250;

/** @typedef {Pick<import('./watcher').Status, 'token' | 'listedSeq' | 'countedSeq'> & { stockedSeq: number }} State of the log, as far as lists show it; stockedSeq: of the last write at all */

/**
 * Stamps of lists, searches and other replies with several products, for cache keys. They move at once with a load, and with
 * writes at most once a second.
 */
class Lists {
  /** Version and last commit that changed what lists show. */
  stamp = '';
  /** The same of the commits that added or removed products. */
  counts = '';
  /** The same of all commits. */
  #stocked = '';
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
    else if (state.stockedSeq !== this.#shown.stockedSeq) this.#moveInTime();
  }

  /** @param {string} include names by comma; only styles, and what is made of them, have quantities */
  stampOf(include) {
    return /styles|jsonld/.test(include) ? this.#stocked : this.stamp;
  }

  /** Lists show the latest state, or will soon. @returns {boolean} they do */
  hurry() {
    if (performance.now() - this.#movedMs >= HURRIED_EPOCH_MS && !this.#isLatest) this.#move();
    return this.#isLatest;
  }

  get #isLatest() {
    return this.#shown?.stockedSeq === this.#latest?.stockedSeq;
  }

  #moveInTime() {
    const leftMs = this.#movedMs + LIST_EPOCH_MS - performance.now();
    if (leftMs <= 0) this.#move();
    else this.#timer ??= setTimeout(() => this.#move(), leftMs).unref();
  }

  #move() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { token, listedSeq, countedSeq, stockedSeq } = /** @type {State} */ (this.#latest);
    this.#shown = this.#latest;
    this.#movedMs = performance.now();
    this.stamp = `${token}.${listedSeq}`;
    this.counts = `${token}.${countedSeq}`;
    this.#stocked = `${token}.${stockedSeq}`;
  }
}

exports.Lists = Lists;
