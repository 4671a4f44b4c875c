'use strict';
const { quantile } = require('../../lib/quantile');

const firstLength = 65_536;

/** What is wrong with a request, as bits. */
const flagBits = Object.freeze({ wrongBody: 1, noRetryAfter: 2, unsent: 4 });

/**
 * Requests as columns: millions of objects would make the generator's garbage collector part of the measurement.
 * @typedef {object} Columns
 * @property {Float64Array} dueMs when the request was due, since the epoch
 * @property {Float32Array} tookMs from then to the end of the reply
 * @property {Int16Array} status 0: no reply
 * @property {Uint8Array} kind
 * @property {Uint8Array} flags
 */

/** @param {number} length @returns {Columns} */
const columnsOf = (length) => ({
  dueMs: new Float64Array(length),
  tookMs: new Float32Array(length),
  status: new Int16Array(length),
  kind: new Uint8Array(length),
  flags: new Uint8Array(length),
});

/** Grows by doubling. */
class Samples {
  length = 0;
  #columns = columnsOf(firstLength);

  /** @param {number} dueMs @param {number} tookMs @param {number} status @param {number} kind @param {number} flags */
  add(dueMs, tookMs, status, kind, flags) {
    if (this.length === this.#columns.dueMs.length) this.#columns = this.#copy(2 * this.length);
    const at = this.length++;
    this.#columns.dueMs[at] = dueMs;
    this.#columns.tookMs[at] = tookMs;
    this.#columns.status[at] = status;
    this.#columns.kind[at] = kind;
    this.#columns.flags[at] = flags;
  }

  /** @returns {Columns} */
  take() {
    return this.#copy(this.length);
  }

  /** @param {number} length of the new columns */
  #copy(length) {
    const copy = columnsOf(length);
    for (const [name, values] of Object.entries(this.#columns))
      /** @type {any} */ (copy)[name].set(values.subarray(0, this.length));
    return copy;
  }
}

/**
 * @typedef {object} Summary of the requests that were due in an interval
 * @property {number} asked
 * @property {number} ok status 200
 * @property {number} failed no reply at all
 * @property {number} unsent of these, every connection was busy
 * @property {number} shed status 503
 * @property {number} otherErrors any other 4xx or 5xx
 * @property {number} wrongBodies
 * @property {number} withoutRetryAfter among the 503
 * @property {number} p99Ms of the 200
 * @property {number} maxMs of all
 * @property {number} shedMaxMs slowest 503
 * @property {string[]} failures the first ones of the whole load: time, path and problem
 * @property {number} okPerSecond that arrived inside the interval; late replies of a queue are not throughput
 */

/** What a load measured, for any interval. Times are milliseconds since the epoch. */
class Observed {
  #columns;
  #firstMs;
  #lastMs;

  /** @param {Columns} columns @param {string[]} [failures] the first ones: time, path and problem */
  constructor(columns, failures = []) {
    this.#columns = columns;
    this.failures = failures;
    this.#firstMs = columns.dueMs.reduce((least, ms) => Math.min(least, ms), Infinity);
    this.#lastMs = columns.dueMs.reduce((most, ms) => Math.max(most, ms), 0);
  }

  /** @param {number} fromMs @param {number} toMs @param {number} [onlyKind] @returns {Summary} */
  between(fromMs, toMs, onlyKind) {
    const { dueMs, tookMs, status, kind, flags } = this.#columns;
    const seen = { asked: 0, ok: 0, failed: 0, unsent: 0, shed: 0, otherErrors: 0, wrongBodies: 0 };
    let [withoutRetryAfter, maxMs, shedMaxMs, okInTime] = [0, 0, 0, 0];
    const endMs = Math.min(toMs, this.#lastMs);
    const okMs = new Float64Array(dueMs.length); // the hours of a soak do not fit into an array of numbers
    for (let at = 0; at < dueMs.length; at += 1) {
      if (dueMs[at] < fromMs || dueMs[at] >= toMs) continue;
      if (onlyKind !== undefined && kind[at] !== onlyKind) continue;
      seen.asked += 1;
      maxMs = Math.max(maxMs, tookMs[at]);
      if (status[at] === 200) {
        okMs[seen.ok++] = tookMs[at];
        if (dueMs[at] + tookMs[at] <= endMs) okInTime += 1;
      } else if (status[at] === 0) seen.failed += 1;
      else if (status[at] === 503) {
        seen.shed += 1;
        shedMaxMs = Math.max(shedMaxMs, tookMs[at]);
      } else seen.otherErrors += 1;
      if (flags[at] & flagBits.wrongBody) seen.wrongBodies += 1;
      if (flags[at] & flagBits.noRetryAfter) withoutRetryAfter += 1;
      if (flags[at] & flagBits.unsent) seen.unsent += 1;
    }
    const seconds = (endMs - Math.max(fromMs, this.#firstMs)) / 1000;
    const p99Ms = quantile(okMs.subarray(0, seen.ok).sort(), 0.99) || 0; // a number, which checks subtract and print
    return {
      ...seen,
      withoutRetryAfter,
      maxMs,
      shedMaxMs,
      p99Ms,
      okPerSecond: okInTime / seconds,
      failures: this.failures,
    };
  }

  /** @param {number} [onlyKind] */
  all(onlyKind) {
    return this.between(-Infinity, Infinity, onlyKind);
  }

  /**
   * Requests answered 503 that were open at some time of an interval: one that was due just before a fault waits in it too.
   * @param {number} fromMs @param {number} toMs
   */
  shedDuring(fromMs, toMs) {
    const { dueMs, tookMs, status } = this.#columns;
    return dueMs.filter((due, at) => status[at] === 503 && due < toMs && due + tookMs[at] >= fromMs).length;
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

exports.flagBits = flagBits;
exports.Samples = Samples;
exports.Observed = Observed;
