'use strict';
const { processTree, readOrNothing } = require('../lib/proc');

/** A loader's buffers live for seconds; 4 samples a second see every step without a cost of their own. */
const sampleEveryMs = 250;

/**
 * Memory of a process and its descendants. PSS divides a page that several of them map (a shared library) among
 * them, so its sum is what the tree takes; the sum of RSS counts such a page once for each.
 * @param {number} pid
 * @returns {number} PSS in MB
 */
function memoryOf(pid) {
  let kb = 0;
  for (const member of processTree(pid)) {
    const rollup = readOrNothing(`/proc/${member}/smaps_rollup`);
    kb += Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0);
  }
  return kb / 1024;
}

/**
 * Watches a process tree until stopped.
 * @param {number} pid
 * @returns {{ stop: () => number }} stop tells the peak of the sum, in MB
 */
function watchMemory(pid) {
  let peakMb = 0;
  const timer = setInterval(() => (peakMb = Math.max(peakMb, memoryOf(pid))), sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return peakMb;
    },
  };
}

module.exports = { watchMemory };
