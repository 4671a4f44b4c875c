'use strict';

/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures contestants in turn, A B C A B C …: when the machine's speed drifts, it drifts for all.
 * @template T
 * @param {Record<string, () => Promise<T>>} contestants
 * @param {number} rounds
 * @param {(line: string) => void} say
 * @returns {Promise<Record<string, T[]>>}
 */
async function interleave(contestants, rounds, say) {
  /** @type {Record<string, T[]>} */
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(contestants)) {
      say(`${name}, round ${round} of ${rounds}`);
      results[name].push(await measure());
    }
  }
  return results;
}

module.exports = { median, interleave };
