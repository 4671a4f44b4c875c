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
/** @typedef {{ fromMs: number, toMs: number, losesRedis?: boolean }} Outage */

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

/** @param {Lives} lives @param {Kind} kind */
const ofKind = (lives, kind) => [...lives.values()].filter((life) => life.kind === kind);

/** @param {Outage[]} outages @param {number} sinceMs @returns {Outage | undefined} the first in which a process lost Redis */
const firstLoss = (outages, sinceMs) => outages.find(({ fromMs, losesRedis }) => losesRedis && fromMs >= sinceMs);

/**
 * What a fault takes for its time is no leak; what is not given back stands in every later sample. When a worker loses Redis for the
 * first time, all reads take the way to PostgreSQL, whose code and heap then stay: one step (2 to 4 MB in five workers, nothing at
 * the second loss in three), which a line through an hour takes for a slope. So what it holds before and after are two lists,
 * and the step has a bar of its own (`keptOfFirstLoss`).
 * @param {Lives} lives
 * @param {Kind} kind of processes
 * @param {{ outages: Outage[], settleMs: number }} without faults, and the first time of a process
 * @returns {Sample[][]} those of calm times
 */
const calmOf = (lives, kind, { outages, settleMs }) =>
  ofKind(lives, kind).flatMap(({ sinceMs, samples }) => {
    const calm = samples
      .filter(({ atMs }) => atMs >= sinceMs + settleMs)
      .filter(({ atMs }) => !outages.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs + callersKeepMs));
    const lossMs = firstLoss(outages, sinceMs)?.fromMs ?? Infinity;
    return [calm.filter(({ atMs }) => atMs < lossMs), calm.filter(({ atMs }) => atMs >= lossMs)];
  });

/**
 * @param {Lives} lives @param {Outage[]} outages
 * @returns {number} MB that a worker holds in the minute after its first loss of Redis more than in the one before, at most;
 *   not a number when none lived through one
 */
function keptOfFirstLoss(lives, outages) {
  const steps = ofKind(lives, 'worker').flatMap(({ sinceMs, samples }) => {
    const loss = firstLoss(outages, sinceMs);
    const meanIn = (/** @type {number} */ fromMs) =>
      meanOf(samples.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 60_000).map(({ memoryMb }) => memoryMb));
    const step = loss ? meanIn(loss.toMs + callersKeepMs) - meanIn(loss.fromMs - 60_000) : NaN;
    return Number.isNaN(step) ? [] : [step];
  });
  return steps.length ? Math.max(...steps) : NaN;
}

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
 * Slope of straight lines through what each process held (least squares; one slope, a level of its own for each
 * process, so that a restart is no fall and no rise), as percent of the mean for each hour.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'files'} name
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

/**
 * Sockets come and go with what is asked for, by hundreds, and a slope through them is chance (-76 to 62 % an hour in one
 * hour, by where it began). What is never closed raises what is open when least is asked for.
 * @param {Sample[][]} lives
 * @returns {number} by how much the fewest sockets of a process in its last third are more than in its first, at most; not a
 *   number when none lived long enough
 */
function leftOpen(lives) {
  const rises = lives.flatMap((samples) => {
    const third = Math.floor(samples.length / 3);
    const fewest = (/** @type {Sample[]} */ part) => Math.min(...part.map(({ sockets }) => sockets));
    return third ? [fewest(samples.slice(-third)) - fewest(samples.slice(0, third))] : [];
  });
  return rises.length ? Math.max(...rises) : NaN;
}

module.exports = { calmOf, keptOfFirstLoss, leftOpen, percentPerHour, sample, warmUpMs, workersSeen, writeSamples };
