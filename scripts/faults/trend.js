'use strict';
const { processTree, residentMb } = require('../lib/proc');
const { openDescriptors } = require('./processes');
const { epochMs } = require('./scenario');

/** A process that starts anew fills its caches for a while: what it holds then says nothing about a leak. */
const settledMs = 3 * 60_000;

/** @typedef {import('./rig').Rig} Rig */
/** @typedef {{ atMs: number, memoryMb: number, sockets: number, files: number }} Sample of one process */

/**
 * Adds what nginx and the workers hold now, once they are settled.
 * @param {Rig} rig
 * @param {Map<number, { sinceMs: number, samples: Sample[] }>} lives by process id
 */
function sample(rig, lives) {
  const atMs = epochMs();
  for (const pid of [...processTree(rig.nginx.pid), ...rig.workerPids().filter(Boolean)]) {
    const life = lives.get(pid) ?? { sinceMs: atMs, samples: [] };
    lives.set(pid, life);
    const memoryMb = residentMb(pid);
    const ended = memoryMb === 0;
    if (ended || atMs - life.sinceMs < settledMs) continue;
    life.samples.push({ atMs, memoryMb, ...openDescriptors(pid) });
  }
}

/** @param {number[]} values */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Slope of straight lines through what each process held (least squares; one slope, a level of its own for each
 * process, so that a restart is no fall and no rise), as percent of the mean for each hour.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'sockets' | 'files'} name
 * @returns {number} not a number when no process lived long enough
 */
function percentPerHour(lives, name) {
  let covariance = 0;
  let variance = 0;
  for (const samples of lives.filter(({ length }) => length > 1)) {
    const meanMs = meanOf(samples.map(({ atMs }) => atMs));
    const level = meanOf(samples.map((one) => one[name]));
    for (const one of samples) {
      covariance += (one.atMs - meanMs) * (one[name] - level);
      variance += (one.atMs - meanMs) ** 2;
    }
  }
  return (100 * (covariance / variance) * 3_600_000) / meanOf(lives.flat().map((one) => one[name]));
}

module.exports = { percentPerHour, sample };
