'use strict';
const fs = require('node:fs');
const { treeOf } = require('./process-tree');
/** @import { Contestant } from './contestants' */

const workerMemoryMb = 150;
/** The kernel's unit in /proc, USER_HZ: 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** @param {number} pid @returns {number} CPU time of a process and its children so far */
function cpuMs(pid) {
  const ticks = treeOf(pid).map((member) => {
    const afterName = fs.readFileSync(`/proc/${member}/stat`, 'utf8').split(') ').pop() ?? '';
    const [user, system] = afterName.split(' ').slice(11, 13).map(Number);
    return user + system;
  });
  return ticks.reduce((sum, ticksOfOne) => sum + ticksOfOne, 0) * msPerTick;
}

/** @param {number} pid @returns {number} the most that a process was resident since its start */
function peakMemoryMb(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
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
  is: Math.max(...workers.map(({ pid }) => peakMemoryMb(pid))),
});

module.exports = { cpuMs, memoryBar };
