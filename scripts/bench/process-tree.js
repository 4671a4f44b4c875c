'use strict';
const { processTree, readOrNothing } = require('../lib/proc');

/** A loader's buffers live for seconds; 4 samples a second see every step without a cost of their own. */
const sampleEveryMs = 250;

/**
 * Memory of a process and its descendants. PSS divides a page that several of them map (a shared library) among
 * them, so its sum is what the tree takes; the sum of RSS counts such a page once for each.
 * @param {number} pid
 * @returns {{ rssMb: number, pssMb: number }}
 */
function memoryOf(pid) {
  let rssKb = 0;
  let pssKb = 0;
  for (const member of processTree(pid)) {
    const rollup = readOrNothing(`/proc/${member}/smaps_rollup`);
    rssKb += Number(rollup.match(/^Rss:\s+(\d+)/m)?.[1] ?? 0);
    pssKb += Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0);
  }
  return { rssMb: rssKb / 1024, pssMb: pssKb / 1024 };
}

/**
 * Watches a process tree until stopped.
 * @param {number} pid
 * @returns {{ stop: () => { rssMb: number, pssMb: number } }} stop tells the peak of each sum
 */
function watchMemory(pid) {
  const peak = { rssMb: 0, pssMb: 0 };
  const timer = setInterval(() => {
    const now = memoryOf(pid);
    peak.rssMb = Math.max(peak.rssMb, now.rssMb);
    peak.pssMb = Math.max(peak.pssMb, now.pssMb);
  }, sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

module.exports = { watchMemory };
