'use strict';
const { machineTicks, peakResidentMb, processTree, readOrNothing } = require('../../../scripts/lib/proc');
/** @import { Server } from './pinned' */

const workerMemoryMb = 150;

/**
 * Read while the workers still run.
 * @param {Server[]} workers @param {string} [route] @param {number} [atMost] MB
 * @returns {import('./targets').Target} the largest worker of a part
 */
const memoryTarget = (workers, route, atMost = workerMemoryMb) => ({
  what: 'peak memory of a worker, MB',
  ...(route && { route }),
  atMost,
  is: Math.max(...workers.map(({ pid }) => peakResidentMb(pid))),
});

/** @returns {() => number} the share of the CPU time used since then that the host gave to others, in percent */
function watchStolen() {
  const ticks = () => machineTicks(readOrNothing('/proc/stat'));
  const before = ticks();
  return () => {
    const { busy, stolen } = ticks();
    return (100 * (stolen - before.stolen)) / (busy - before.busy);
  };
}

/**
 * Memory of a process and its descendants. PSS divides a page that several of them map (a shared library) among them, so
 * its sum is what the tree uses; a sum of RSS counts such a page once for each.
 * @param {number} pid
 * @returns {number} PSS in MB; 0 when it has ended
 */
function memoryOf(pid) {
  const rollups = processTree(pid).map((member) => readOrNothing(`/proc/${member}/smaps_rollup`));
  return rollups.reduce((kb, text) => kb + Number(text.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0), 0) / 1024;
}

/**
 * @param {number} pid @param {number} everyMs
 * @returns {() => number} stops watching and returns the peak of `memoryOf`
 */
function watchMemory(pid, everyMs) {
  let peak = 0;
  const look = () => (peak = Math.max(peak, memoryOf(pid)));
  const timer = setInterval(look, everyMs).unref();
  return () => {
    clearInterval(timer);
    return look();
  };
}

module.exports = { memoryTarget, watchMemory, watchStolen };
