'use strict';
const proc = require('../lib/proc');
/** @import { Contestant } from './contestants' */

const workerMemoryMb = 150;
/** @param {number} pid @returns {number} CPU time of a process and its children so far */
function cpuMs(pid) {
  const ticks = proc
    .processTree(pid)
    .map((member) => proc.readOrNothing(`/proc/${member}/stat`))
    .filter(Boolean)
    .map(proc.processTicks);
  return (ticks.reduce((sum, ticksOfOne) => sum + ticksOfOne, 0) / proc.ticksPerSecond) * 1000;
}

/**
 * Asked for while the workers still run.
 * @param {Contestant[]} workers
 * @param {string} [route]
 * @returns {import('./bars').Bar} the largest worker of a part against what it may take
 */
const memoryBar = (workers, route) => ({
  what: 'peak memory of a worker, MB',
  ...(route && { route }),
  atMost: workerMemoryMb,
  is: Math.max(...workers.map(({ pid }) => proc.peakResidentMb(pid))),
});

/** @returns {() => number} the share of the processor time asked for since then that the host gave to others, in percent */
function watchStolen() {
  const ticks = () => proc.machineTicks(proc.readOrNothing('/proc/stat'));
  const before = ticks();
  return () => {
    const { busy, stolen } = ticks();
    return (100 * (stolen - before.stolen)) / (busy - before.busy);
  };
}

module.exports = { cpuMs, memoryBar, watchStolen };
