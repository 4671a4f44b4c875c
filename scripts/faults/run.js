'use strict';
const { holds } = require('./checks');

/**
 * @typedef {object} Fault
 * @property {string} id as in README.md
 * @property {string} title
 * @property {string} done what is done to the system
 * @property {(rig: import('./rig').Rig) => Promise<import('./checks').Check[]>} run leaves the rig as it was
 * @property {() => string} [cannot] why it cannot be made on this machine; '' when it can
 */

/**
 * @typedef {object} Result
 * @property {string} id
 * @property {string} title
 * @property {string} done
 * @property {import('./checks').Check[]} checks
 * @property {string} [skipped] why
 * @property {string} [rate] requests a second, where it chose them itself
 * @property {number} seconds
 */

/**
 * One fault after the other; one that could not be made to its end counts as failed and does not stop the others.
 * @param {import('./rig').Rig} rig
 * @param {Fault[]} faults
 * @param {(results: Result[]) => void} keep after each fault: a run that is interrupted loses nothing
 * @returns {Promise<Result[]>}
 */
async function runFaults(rig, faults, keep) {
  /** @type {Result[]} */
  const results = [];
  for (const fault of faults) {
    const result = await runFault(rig, fault);
    results.push(result);
    keep(results);
    rig.say(line(result));
    for (const check of result.checks.filter(({ pass, unmeasured }) => !pass || unmeasured))
      rig.say(`      ${check.what}: ${check.measured}, bar ${check.bar}`);
  }
  return results;
}

/** @param {import('./rig').Rig} rig @param {Fault} fault @returns {Promise<Result>} */
async function runFault(rig, { id, title, done, run, cannot }) {
  const skipped = cannot?.();
  if (skipped) return { id, title, done, checks: [], skipped, seconds: 0 };
  const sinceMs = performance.now();
  const checks = await run(rig).catch((error) => [holds('made to its end', false, saidBy(error))]);
  rig.proxies.postgres.heal();
  rig.proxies.redis.heal();
  await rig.ready().catch((error) => checks.push(holds('the chain is ready after it', false, saidBy(error))));
  return { id, title, done, checks, seconds: (performance.now() - sinceMs) / 1000 };
}

/** @param {Error} error @returns {string} what stands in one cell of a table */
const saidBy = ({ message }) => message.split('\n')[0].replaceAll('|', '\\|');

/** @param {Result} result */
const passed = ({ checks, skipped }) => Boolean(skipped) || checks.every(({ pass }) => pass);

/** @param {Result[]} results @returns {number} 1: a bar was missed; 2: none, but something could not be made or measured */
function exitStatus(results) {
  if (!results.every(passed)) return 1;
  const inPart = results.some(({ checks, skipped }) => skipped || checks.some(({ unmeasured }) => unmeasured));
  return inPart ? 2 : 0;
}

/** @param {Result} result */
function line(result) {
  const { id, title, skipped, seconds } = result;
  if (skipped) return `SKIP  ${id} ${title}: ${skipped}`;
  return `${passed(result) ? 'ok  ' : 'FAIL'}  ${id} ${title} (${seconds.toFixed(0)} s)`;
}

module.exports = { exitStatus, passed, runFault, runFaults };
