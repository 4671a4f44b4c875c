'use strict';
/** @import { WrkResult } from './wrk' */

/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Several measurements as one row: the median, and every error.
 * @param {string} route @param {string} what @param {WrkResult[]} runs
 */
const rowOf = (route, what, runs) => ({
  route,
  what,
  rps: median(runs.map(({ rps }) => rps)),
  p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
  errors: runs.reduce((sum, { errors }) => sum + errors, 0),
});

/**
 * Measures servers in turn, A B C A B C …: when the speed of the machine drifts, it drifts for all.
 * @template T
 * @param {Record<string, () => Promise<T>>} measurements
 * @param {number} rounds
 * @param {(line: string) => void} say
 * @returns {Promise<Record<string, T[]>>}
 */
async function interleave(measurements, rounds, say) {
  /** @type {Record<string, T[]>} */
  const results = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) {
      say(`${name}, round ${round} of ${rounds}`);
      results[name].push(await measure());
    }
  }
  return results;
}

module.exports = { interleave, median, rowOf };
