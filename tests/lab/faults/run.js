'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { machine } = require('../../../scripts/lib/machine');
const { root } = require('../../../scripts/lib/runtime');
const { exactly, holds } = require('./checks');
const described = require('./faults.json');
/** @import { Rig } from '../testbed/rig' */
/** @import { Check } from './checks' */

const suites = [
  require('./suites/redis'),
  require('./suites/redis-values'),
  require('./suites/postgres'),
  require('./suites/postgres-limits'),
  require('./suites/disk'),
  require('./suites/workers'),
  require('./suites/clients'),
  require('./suites/hostile'),
  require('./suites/loads'),
  require('./suites/security'),
];

/** @typedef {Record<string, (rig: Rig) => Promise<Check[]>>} Runs by id of the fault; each leaves the rig as it was */

/**
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} title
 * @property {string} done what is done to the system
 * @property {string} [target] a soak has its own
 * @property {boolean} [endsWorkers]
 * @property {Runs['']} run
 * @property {() => string} [cannot] why this machine cannot make it; '' when it can
 */

/** @typedef {{ checks: Check[], skipped?: string, seconds: number }} Outcome `skipped`: why */
/** @typedef {Pick<Fault, 'id' | 'title' | 'done' | 'target'> & Outcome & { rate?: number }} Result `rate`: where the fault chose it */

/** @type {Runs} */
const runs = Object.assign({}, ...suites.map((suite) => suite.runs));

/** Why a machine cannot make them. @type {Record<string, () => string>} */
const cannot = Object.assign({}, ...suites.map((suite) => ('cannot' in suite ? suite.cannot : {})));

/** Every fault, in the order in which they are made. @type {Fault[]} */
const faults = described.map((one) => ({ ...one, run: runs[one.id], cannot: cannot[one.id] }));

/**
 * Makes one fault after the other.
 * @param {Rig} rig
 * @param {Fault[]} faults
 * @param {(results: Result[]) => void} keep after each fault, so that an interrupted run loses nothing
 */
async function runFaults(rig, faults, keep) {
  /** @type {Result[]} */
  const results = [];
  for (const fault of faults) {
    results.push(await runFault(rig, fault));
    keep(results);
    rig.say(summary(results.slice(-1)));
  }
  return results;
}

/** One that throws is failed. @param {Rig} rig @param {Fault} fault @returns {Promise<Result>} */
async function runFault(rig, { run, cannot, endsWorkers, ...fault }) {
  const skipped = cannot?.();
  if (skipped) return { ...fault, checks: [], skipped, seconds: 0 };
  const [sinceMs, before] = [performance.now(), rig.workerPids()];
  const broken = (/** @type {string} */ what) => (/** @type {Error} */ error) =>
    holds(what, false, error.message.split('\n')[0]);
  const checks = await run(rig).catch((error) => [broken('runs to its end')(error)]);
  const after = rig.workerPids();
  const ended = before.filter((pid) => !after.includes(pid));
  if (!endsWorkers) checks.push(exactly('workers that ended', ended.length));
  rig.proxies.postgres.heal();
  rig.proxies.redis.heal();
  await rig.ready().catch((error) => checks.push(broken('the chain is ready afterwards')(error)));
  return { ...fault, checks, seconds: (performance.now() - sinceMs) / 1000 };
}

/** @param {Result} result */
function verdict({ checks, skipped }) {
  if (skipped) return 'SKIPPED';
  return checks.length > 0 && checks.every(({ pass }) => pass) ? 'ok' : 'FAIL';
}

/** @param {Result[]} results @returns {number} 1: a target was missed; 2: none, but a fault could not be made */
function exitStatus(results) {
  const verdicts = results.map(verdict);
  if (verdicts.includes('FAIL')) return 1;
  return verdicts.length > 0 && verdicts.every((one) => one === 'ok') ? 0 : 2;
}

const shownFailures = 3;

/** @param {Result[]} results @returns {string} a line for each, with what was missed */
const summary = (results) =>
  results
    .flatMap((result) => [
      `${verdict(result).padEnd(8)}${result.id} ${result.title}${result.skipped ? `: ${result.skipped}` : ` (${result.seconds.toFixed(0)} s)`}`,
      ...result.checks
        .filter(({ pass }) => !pass)
        .flatMap(({ what, measured, target, failures = [] }) => [
          `        ${what}: ${measured}, target ${target}`,
          ...failures.slice(0, shownFailures).map((failure) => `          ${failure}`),
        ]),
    ])
    .join('\n');

/** @param {Result[]} results @returns {string} one line */
function totals(results) {
  const verdicts = results.map(verdict);
  const [passed, failed] = ['ok', 'FAIL'].map((wanted) => verdicts.filter((one) => one === wanted).length);
  return `${passed} of ${results.length} faults passed, ${failed} failed, ${results.length - passed - failed} skipped`;
}

/**
 * @param {Result[]} results
 * @param {{ date: string, short: boolean, rate: number, products: number }} run
 * @param {string} [folder]
 * @returns {string} the file
 */
function writeResults(results, run, folder = path.join(root, 'results')) {
  const file = path.join(folder, 'faults.json');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify({ machine: machine(), ...run, results }, null, 2)}\n`);
  return file;
}

module.exports = { exitStatus, faults, runFault, runFaults, runs, summary, totals, writeResults };
