'use strict';
const { quantile } = require('../quantile');

/** The fate of a request, as bits. */
const flagBits = Object.freeze({ wrongBody: 1, noRetryAfter: 2, unsent: 4, again: 8 });

/**
 * Requests as columns: millions of objects would make the generator's garbage collector part of the measurement.
 * @typedef {object} Samples
 * @property {number[]} dueMs when the request was due, since the epoch
 * @property {number[]} tookMs from then to the end of the reply
 * @property {number[]} status 0: no reply
 * @property {number[]} kind
 * @property {number[]} flags
 */

/** Figures of a load, for any interval. Times are milliseconds since the epoch. */
class Observed {
  #columns;
  #firstMs;
  #lastMs;

  /** @param {Samples} columns @param {string[]} [failures] the first ones: time, path and problem */
  constructor(columns, failures = []) {
    this.#columns = columns;
    this.failures = failures;
    this.#firstMs = columns.dueMs.reduce((least, ms) => Math.min(least, ms), Infinity);
    this.#lastMs = columns.dueMs.reduce((most, ms) => Math.max(most, ms), 0);
  }

  /** The requests that were due in an interval. @param {number} fromMs @param {number} toMs @param {number} [onlyKind] */
  between(fromMs, toMs, onlyKind) {
    const { dueMs, tookMs, status, kind, flags } = this.#columns;
    const isIn = (/** @type {number} */ at) => dueMs[at] >= fromMs && dueMs[at] < toMs;
    const rows = [...dueMs.keys()].filter((at) => isIn(at) && (onlyKind === undefined || kind[at] === onlyKind));
    const withStatus = (/** @type {number} */ wanted) => rows.filter((at) => status[at] === wanted);
    const flagged = (/** @type {number} */ bit) => rows.filter((at) => flags[at] & bit).length;
    const slowestOf = (/** @type {number[]} */ some) => some.reduce((most, at) => Math.max(most, tookMs[at]), 0);
    const [ok, shed, failed] = [200, 503, 0].map(withStatus);
    const endMs = Math.min(toMs, this.#lastMs);
    const seconds = (endMs - Math.max(fromMs, this.#firstMs)) / 1000;
    return {
      asked: rows.length,
      ok: ok.length,
      shed: shed.length,
      /** No reply at all. */
      failed: failed.length,
      otherErrors: rows.length - ok.length - shed.length - failed.length,
      /** Failed requests for which every connection was busy. */
      unsent: flagged(flagBits.unsent),
      wrongBodies: flagged(flagBits.wrongBody),
      withoutRetryAfter: flagged(flagBits.noRetryAfter),
      /** Sent twice. */
      again: flagged(flagBits.again),
      maxMs: slowestOf(rows),
      shedMaxMs: slowestOf(shed),
      /** The 200 alone; a number, which limits subtract. */
      p99Ms: quantile(Float64Array.from(ok, (at) => tookMs[at]).sort(), 0.99) || 0,
      /** Inside the interval: late replies of a queue are not throughput. */
      okPerSecond: ok.filter((at) => dueMs[at] + tookMs[at] <= endMs).length / seconds,
      /** The first ones of the whole load. */
      failures: this.failures,
    };
  }

  /** @param {number} [onlyKind] */
  all(onlyKind) {
    return this.between(-Infinity, Infinity, onlyKind);
  }

  /** @param {number} limitMs @param {number} [fromMs] @param {number} [toMs] @returns {number} requests */
  slowerThan(limitMs, fromMs = -Infinity, toMs = Infinity) {
    const { dueMs, tookMs } = this.#columns;
    return dueMs.filter((due, at) => due >= fromMs && due < toMs && tookMs[at] > limitMs).length;
  }

  /** How long after a moment the last request was due that was not answered 200. @param {number} momentMs */
  lastErrorAfterMs(momentMs) {
    const { dueMs, status } = this.#columns;
    return dueMs.reduce((last, due, at) => (status[at] === 200 ? last : Math.max(last, due - momentMs)), 0);
  }
}

/** @typedef {ReturnType<Observed['all']>} Summary */

exports.flagBits = flagBits;
exports.Observed = Observed;
