'use strict';
const { once } = require('node:events');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

const { quantile } = require('../../lib/quantile');
const { flagBits } = require('./samples');

/** @typedef {import('./samples').Columns} Columns */

/**
 * @typedef {object} Summary of the requests that were due in an interval
 * @property {number} asked
 * @property {number} ok status 200
 * @property {number} failed no reply at all
 * @property {number} shed status 503
 * @property {number} otherErrors any other 4xx or 5xx
 * @property {number} wrongBodies
 * @property {number} withoutRetryAfter among the 503
 * @property {number} p99Ms of the 200
 * @property {number} maxMs of all
 * @property {number} shedMaxMs slowest 503
 * @property {number} okPerSecond that arrived inside the interval; what a queue gave up later is no throughput
 */

/** What a load saw, to be asked about any interval of it. Times are milliseconds since the epoch. */
class Observed {
  #columns;
  #firstMs;
  #lastMs;

  /** @param {Columns} columns in the order of the replies */
  constructor(columns) {
    this.#columns = columns;
    this.#firstMs = columns.dueMs.reduce((least, ms) => Math.min(least, ms), Infinity);
    this.#lastMs = columns.dueMs.reduce((most, ms) => Math.max(most, ms), 0);
  }

  /**
   * @param {number} fromMs
   * @param {number} toMs
   * @param {number} [onlyKind]
   * @returns {Summary}
   */
  between(fromMs, toMs, onlyKind) {
    const { dueMs, tookMs, status, kind, flags } = this.#columns;
    const seen = { asked: 0, failed: 0, shed: 0, otherErrors: 0, wrongBodies: 0 };
    let [withoutRetryAfter, maxMs, shedMaxMs, okInTime] = [0, 0, 0, 0];
    const endMs = Math.min(toMs, this.#lastMs);
    const okMs = new Float64Array(dueMs.length); // hours of a soak are more than an array of numbers takes
    let ok = 0;
    for (let at = 0; at < dueMs.length; at += 1) {
      if (dueMs[at] < fromMs || dueMs[at] >= toMs) continue;
      if (onlyKind !== undefined && kind[at] !== onlyKind) continue;
      seen.asked += 1;
      maxMs = Math.max(maxMs, tookMs[at]);
      if (status[at] === 200) {
        okMs[ok] = tookMs[at];
        ok += 1;
        if (dueMs[at] + tookMs[at] <= endMs) okInTime += 1;
      } else if (status[at] === 0) seen.failed += 1;
      else if (status[at] === 503) {
        seen.shed += 1;
        shedMaxMs = Math.max(shedMaxMs, tookMs[at]);
      } else seen.otherErrors += 1;
      if (flags[at] & flagBits.wrongBody) seen.wrongBodies += 1;
      if (flags[at] & flagBits.noRetryAfter) withoutRetryAfter += 1;
    }
    const sorted = okMs.subarray(0, ok).sort();
    const seconds = (endMs - Math.max(fromMs, this.#firstMs)) / 1000;
    return {
      ...seen,
      ok,
      withoutRetryAfter,
      maxMs,
      shedMaxMs,
      // Of no reply 0: what the checks subtract and print is a number.
      p99Ms: quantile(sorted, 0.99) || 0,
      okPerSecond: okInTime / seconds,
    };
  }

  /** All of it. @param {number} [onlyKind] */
  all(onlyKind) {
    return this.between(-Infinity, Infinity, onlyKind);
  }

  /**
   * Requests answered 503 that were under way at some time of an interval: one that fell due just before a fault waits in
   * it all the same.
   * @param {number} fromMs @param {number} toMs
   */
  shedDuring(fromMs, toMs) {
    const { dueMs, tookMs, status } = this.#columns;
    return dueMs.filter((due, at) => status[at] === 503 && due < toMs && due + tookMs[at] >= fromMs).length;
  }

  /** @param {number} limitMs @param {number} fromMs @param {number} toMs @returns {number} requests */
  slowerThan(limitMs, fromMs, toMs) {
    const { dueMs, tookMs } = this.#columns;
    return dueMs.filter((due, at) => due >= fromMs && due < toMs && tookMs[at] > limitMs).length;
  }

  /** How long after a moment the last request fell due that was not answered 200. @param {number} momentMs */
  lastErrorAfterMs(momentMs) {
    const { dueMs, status } = this.#columns;
    let last = 0;
    for (let at = 0; at < dueMs.length; at += 1)
      if (dueMs[at] >= momentMs && status[at] !== 200) last = Math.max(last, dueMs[at] - momentMs);
    return last;
  }
}

/**
 * Starts a constant load in a thread of its own.
 * @param {import('./generator').Order} order
 */
async function startLoad(order) {
  const thread = new Worker(path.join(__dirname, 'generator.js'), { workerData: order });
  const failed = once(thread, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {});
  await once(thread, 'online');
  return {
    /** Waits for the replies that are still to come. @returns {Promise<Observed>} */
    async stop() {
      const told = once(thread, 'message');
      thread.postMessage('stop');
      const [columns] = await Promise.race([told, failed]);
      await thread.terminate();
      return new Observed(columns);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startLoad>>} Load */

exports.startLoad = startLoad;
exports.Observed = Observed;
