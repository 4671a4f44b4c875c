'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { processTree, residentMb } = require('../lib/proc');
const { root } = require('../lib/runtime');
const { openDescriptors } = require('./processes');
const { epochMs } = require('./scenario');

/**
 * How long a process that starts anew still grows, at most: workers gained 2 % in their first quarter of an hour, and 0.6 % an
 * hour after it. A leak goes on; what only an hour-long soak takes for one does not.
 */
const warmUpMs = 15 * 60_000;
/** In a fault callers open more connections; nginx ends those that bring no more requests, after its keepalive_timeout of 65 s. */
const callersKeepMs = 70_000;

/** @typedef {import('./rig').Rig} Rig */
/** @typedef {{ atMs: number, memoryMb: number } & ReturnType<typeof openDescriptors>} Sample of one process */
/** @typedef {'nginx' | 'worker'} Kind */
/** @typedef {Map<number, { kind: Kind, sinceMs: number, samples: Sample[] }>} Lives by process id */
/** @typedef {{ fromMs: number, toMs: number }} Outage */

/**
 * Adds what nginx and the workers hold now.
 * @param {Rig} rig
 * @param {Lives} lives
 */
function sample(rig, lives) {
  const atMs = epochMs();
  const pids = { nginx: processTree(rig.nginx.pid), worker: rig.workerPids().filter(Boolean) };
  for (const kind of /** @type {const} */ (['nginx', 'worker']))
    for (const pid of pids[kind]) {
      const life = lives.get(pid) ?? { kind, sinceMs: atMs, samples: [] };
      lives.set(pid, life);
      const memoryMb = residentMb(pid);
      const ended = memoryMb === 0;
      if (!ended) life.samples.push({ atMs, memoryMb, ...openDescriptors(pid) });
    }
}

/** @param {Lives} lives @returns {number} worker processes that there were, one after the other */
const workersSeen = (lives) => [...lives.values()].filter(({ kind }) => kind === 'worker').length;

/**
 * What was sampled in calm times. What a fault takes for its time is no leak, so callers' connections of it have to be gone.
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
        .filter(({ atMs }) => !outages.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs + callersKeepMs)),
    );

/**
 * A fault may leave a step: when a worker loses Redis for the first time it takes the code and heap for PostgreSQL into memory (2 to 4 MB in five
 * workers, nothing at the second loss in three), and 6 MB when the other worker is killed. A line through an hour takes a step for
 * a slope, so each stretch between two faults has a level of its own; what faults leave is judged by `leastGained`.
 * @param {Sample[][]} lives @param {Outage[]} outages
 * @returns {Sample[][]}
 */
const stretchesOf = (lives, outages) =>
  lives.flatMap((samples) => {
    const faultsBefore = (/** @type {Sample} */ { atMs }) => outages.filter(({ fromMs }) => fromMs <= atMs).length;
    return [...Map.groupBy(samples, faultsBefore).values()];
  });

/** All of them as results/soak.csv, to see what a slope comes from. @param {Lives} lives */
function writeSamples(lives) {
  const rows = [...lives].flatMap(([pid, { kind, samples }]) =>
    samples.map(({ atMs, memoryMb, ...descriptors }) =>
      [
        ...[new Date(atMs).toISOString(), kind, pid, memoryMb.toFixed(1)],
        ...[descriptors.sockets, descriptors.cached, descriptors.files],
      ].join(','),
    ),
  );
  const file = path.join(root, 'results', 'soak.csv');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${['time,kind,pid,memory_mb,sockets,cached,files', ...rows].join('\n')}\n`);
}

/** @param {number[]} values */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Slope of straight lines through what was held (least squares; one slope, and a level of its own for each list, so that a
 * restart is no fall and no rise), as percent of the mean for each hour.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'files'} name
 * @returns {number} not a number when no list is long enough
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

/**
 * Sockets come and go with what is asked for, by hundreds, and nginx's memory with the replies that it holds open; a slope through them is chance (-76 to
 * 62 % an hour for sockets in one hour, by where it began). What is never given back raises what is held when least is.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'sockets'} name
 * @returns {number} by how much the least that a process holds in its last third is more than in its first, at most; not a
 *   number when none lived long enough
 */
function leastGained(lives, name) {
  const gains = lives.flatMap((samples) => {
    const third = Math.floor(samples.length / 3);
    const least = (/** @type {Sample[]} */ part) => Math.min(...part.map((one) => one[name]));
    return third ? [least(samples.slice(-third)) - least(samples.slice(0, third))] : [];
  });
  return gains.length ? Math.max(...gains) : NaN;
}

module.exports = { calmOf, leastGained, percentPerHour, sample, stretchesOf, warmUpMs, workersSeen, writeSamples };
