'use strict';
const { quantile } = require('../../../../scripts/lib/quantile');

const firstLength = 65_536;

/** What happened to a request, as bits. */
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

  /** The requests that were due in an interval. @param {number} fromMs @param {number} toMs @param {number} [onlyKind] */
  between(fromMs, toMs, onlyKind) {
    const { dueMs, tookMs, status, kind, flags } = this.#columns;
    /** failed: no reply at all; unsent: of these, every connection was busy; shed: 503; otherErrors: any other status; again: sent twice */
    const seen = {
      asked: 0,
      ok: 0,
      failed: 0,
      unsent: 0,
      shed: 0,
      otherErrors: 0,
      wrongBodies: 0,
      withoutRetryAfter: 0,
      again: 0,
    };
    let [maxMs, shedMaxMs, okInTime] = [0, 0, 0];
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
      if (flags[at] & flagBits.noRetryAfter) seen.withoutRetryAfter += 1;
      if (flags[at] & flagBits.unsent) seen.unsent += 1;
      if (flags[at] & flagBits.again) seen.again += 1;
    }
    const seconds = (endMs - Math.max(fromMs, this.#firstMs)) / 1000;
    return {
      ...seen,
      maxMs,
      shedMaxMs,
      /** Of the 200; a number, which checks subtract and print. */
      p99Ms: quantile(okMs.subarray(0, seen.ok).sort(), 0.99) || 0,
      /** Inside the interval: late replies of a queue are not throughput. */
      okPerSecond: okInTime / seconds,
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
