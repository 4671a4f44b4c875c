'use strict';

/** Neighbouring bounds differ by 2 %, so a percentile is right within 1 %. */
const growth = Math.log(1.02);
const smallestMs = 0.01;

/** Counts of durations in buckets that grow: its size depends on the range of the values, not on their number. */
class Histogram {
  #counts = new Map();
  count = 0;
  maxMs = 0;

  /** @param {number} ms */
  add(ms) {
    const bucket = Math.max(0, Math.ceil(Math.log(ms / smallestMs) / growth));
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.count += 1;
    this.maxMs = Math.max(this.maxMs, ms);
  }

  /**
   * Nearest rank: the least value that `share` of all values do not exceed.
   * @param {number} share 0.99 for p99
   * @returns {number} ms; NaN without a value
   */
  percentile(share) {
    let left = Math.ceil(share * this.count);
    for (const bucket of [...this.#counts.keys()].sort((a, b) => a - b)) {
      left -= this.#counts.get(bucket);
      if (left <= 0) return Math.min(this.maxMs, smallestMs * Math.exp((bucket - 0.5) * growth));
    }
    return NaN;
  }
}

module.exports = { Histogram };
