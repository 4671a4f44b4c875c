'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { processTree, residentMb } = require('../lib/proc');
const { root } = require('../lib/runtime');
const { openDescriptors } = require('../testbed/processes');

/** In a fault clients open more connections; nginx ends idle ones after its keepalive_timeout of 65 s. */
const clientsKeepMs = 70_000;

/** @typedef {{ atMs: number, memoryMb: number } & ReturnType<typeof openDescriptors>} Sample of one process */
/** @typedef {'nginx' | 'worker'} Kind */
/** @typedef {Map<number, { kind: Kind, sinceMs: number, samples: Sample[] }>} Lives by process id */
/** @typedef {{ fromMs: number, toMs: number }} Outage */

/** Adds what nginx and the workers hold now. @param {import('../testbed/rig').Rig} rig @param {Lives} lives */
function sample(rig, lives) {
  const atMs = performance.timeOrigin + performance.now();
  const pids = { nginx: processTree(rig.nginx.pid), worker: rig.workerPids().filter(Boolean) };
  for (const kind of /** @type {const} */ (['nginx', 'worker']))
    for (const pid of pids[kind]) {
      const life = lives.get(pid) ?? { kind, sinceMs: atMs, samples: [] };
      lives.set(pid, life);
      const memoryMb = residentMb(pid);
      if (memoryMb > 0) life.samples.push({ atMs, memoryMb, ...openDescriptors(pid) }); // 0: it has ended
    }
}

/** @param {Lives} lives @returns {number} worker processes that existed, one after the other */
const workersSeen = (lives) => [...lives.values()].filter(({ kind }) => kind === 'worker').length;

/**
 * Samples of calm times. What a fault takes while it lasts is no leak, so its clients' connections must be closed.
 * @param {Lives} lives
 * @param {Kind} kind of processes
 * @param {{ outages: Outage[], settleMs: number }} without faults, and the first time of a process
 * @returns {Sample[][]} of each process, in turn
 */
const calmOf = (lives, kind, { outages, settleMs }) =>
  [...lives.values()]
    .filter((life) => life.kind === kind)
    .map(({ sinceMs, samples }) =>
      samples
        .filter(({ atMs }) => atMs >= sinceMs + settleMs)
        .filter(({ atMs }) => !outages.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs + clientsKeepMs)),
    );

/**
 * A fault may leave a step, such as code that a first loss of Redis loads. A line through an hour takes a step for a slope, so
 * each stretch between two faults has a level of its own; `leastGained` judges the steps.
 * @param {Sample[][]} lives @param {Outage[]} outages
 * @returns {Sample[][]}
 */
const stretchesOf = (lives, outages) =>
  lives.flatMap((samples) => {
    const faultsBefore = (/** @type {Sample} */ { atMs }) => outages.filter(({ fromMs }) => fromMs <= atMs).length;
    return [...Map.groupBy(samples, faultsBefore).values()];
  });

/** All of them as results/soak.csv, to find the cause of a slope. @param {Lives} lives */
function writeSamples(lives) {
  const rows = [...lives].flatMap(([pid, { kind, samples }]) =>
    samples.map(({ atMs, memoryMb, sockets, cached, files }) =>
      [new Date(atMs).toISOString(), kind, pid, memoryMb.toFixed(1), sockets, cached, files].join(','),
    ),
  );
  const file = path.join(root, 'results', 'soak.csv');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${['time,kind,pid,memory_mb,sockets,cached,files', ...rows].join('\n')}\n`);
}

/** @param {number[]} values */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Slope of straight lines (least squares; one slope, and a level for each list, so that a restart is neither a fall nor a
 * rise), as percent of the mean for each hour.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'files'} name
 * @returns {number} NaN when no list is long enough
 */
function percentPerHour(lives, name) {
  let [covariance, variance] = [0, 0];
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

/**
 * Sockets, and nginx's memory with its open replies, follow the traffic, so a slope through them is chance. What is never
 * given back raises the lowest value.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'sockets'} name
 * @returns {number} the largest rise of a process, from the lowest value of its first third to that of its last; NaN when
 *   none lived long enough
 */
function leastGained(lives, name) {
  const least = (/** @type {Sample[]} */ part) => Math.min(...part.map((one) => one[name]));
  const gains = lives.flatMap((samples) => {
    const third = Math.floor(samples.length / 3);
    return third ? [least(samples.slice(-third)) - least(samples.slice(0, third))] : [];
  });
  return gains.length ? Math.max(...gains) : NaN;
}

module.exports = { calmOf, leastGained, percentPerHour, sample, stretchesOf, workersSeen, writeSamples };
