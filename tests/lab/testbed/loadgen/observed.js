'use strict';
const { quantile } = require('../../../../scripts/lib/quantile');

const firstLength = 65_536;

/** The fate of a request, as bits. */
const flagBits = Object.freeze({ wrongBody: 1, noRetryAfter: 2, unsent: 4, again: 8 });

/**
 * Requests as columns: millions of objects would make the generator's garbage collector part of the measurement.
 * @param {number} length
 */
const columnsOf = (length) => ({
  /** When the request was due, since the epoch. */
  dueMs: new Float64Array(length),
  /** From then to the end of the reply. */
  tookMs: new Float32Array(length),
  /** 0: no reply. */
  status: new Int16Array(length),
  kind: new Uint8Array(length),
  flags: new Uint8Array(length),
});
/** @typedef {ReturnType<typeof columnsOf>} Columns */

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

/** Figures of a load, for any interval. Times are milliseconds since the epoch. */
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

/** @typedef {ReturnType<Observed['all']>} Summary */

exports.flagBits = flagBits;
exports.Samples = Samples;
exports.Observed = Observed;
