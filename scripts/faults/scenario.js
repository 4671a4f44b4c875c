'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { waitUntil } = require('../lib/wait-until');
const { atMost, exactly } = require('./checks');
const { kinds } = require('./rig');

/** @typedef {import('./rig').Rig} Rig */
/** @typedef {import('./checks').Check} Check */

const epochMs = () => performance.timeOrigin + performance.now();

/** How long a caller's connection to the fault may take to show: the bars begin behind it. */
const settleMs = 1000;

/**
 * @typedef {object} Course of a fault under load; each moment in milliseconds since the epoch
 * @property {import('../testbed/loadgen/observed').Observed} observed
 * @property {number} injectedMs
 * @property {number} healedMs
 * @property {import('../testbed/loadgen/observed').Summary} before
 * @property {import('../testbed/loadgen/observed').Summary} settled from a second after the fault until it is healed
 * @property {import('../testbed/loadgen/observed').Summary} all
 * @property {import('../testbed/loadgen/observed').Summary} hot all of the paths that L1 has
 */

/** @param {Rig} rig @param {number} seconds at full scale */
const wait = (rig, seconds) => sleep(Math.max(300, seconds * 1000 * rig.scale));

/**
 * Constant load before, during and after a fault.
 * @param {Rig} rig
 * @param {object} fault
 * @param {() => unknown} fault.inject
 * @param {() => unknown} fault.heal
 * @param {number} [fault.seconds] how long it lasts, at full scale
 * @param {Partial<import('../testbed/loadgen/generator').Order>} [fault.order]
 * @returns {Promise<Course>}
 */
async function underLoad(rig, { inject, heal, seconds = 10, order }) {
  const load = await rig.startLoad(order);
  const moments = await course(rig, { inject, heal, seconds }).catch(async (error) => {
    await load.stop(); // or it would go on under the next fault
    throw error;
  });
  const observed = await load.stop();
  const { warmMs, injectedMs, healedMs } = moments;
  const settledMs = injectedMs + Math.min(settleMs, (healedMs - injectedMs) / 2);
  return {
    observed,
    ...moments,
    before: observed.between(warmMs, injectedMs),
    settled: observed.between(settledMs, healedMs),
    all: observed.all(),
    hot: observed.all(kinds.hot),
  };
}

/** @param {Rig} rig @param {{ inject: () => unknown, heal: () => unknown, seconds: number }} fault */
async function course(rig, { inject, heal, seconds }) {
  await wait(rig, 2); // the generator's own first connections, and caches that a new load finds cold
  const warmMs = epochMs();
  await wait(rig, 2);
  const injectedMs = epochMs();
  try {
    await inject();
    await wait(rig, seconds);
  } finally {
    await heal();
  }
  const healedMs = epochMs();
  await rig.ready();
  await wait(rig, 6);
  return { warmMs, injectedMs, healedMs };
}

/** @param {Course} course @returns {Check[]} for a fault that no caller may notice */
const unnoticed = ({ all, before, settled }) => [
  exactly(`requests of ${all.asked} not answered 200`, all.asked - all.ok),
  exactly('wrong bodies', all.wrongBodies),
  atMost('p99 after the first second, above the one before', settled.p99Ms - before.p99Ms, 50, ' ms'),
];

/**
 * For a fault of PostgreSQL: what the caches have goes on, the rest is refused at once and in order.
 * @param {Course} course @param {number} [recoveryMs] from the healing to the last refusal
 * @returns {Check[]}
 */
const refusedInOrder = ({ all, hot, observed, healedMs }, recoveryMs = 3000) => [
  exactly(`reads of ${hot.asked} that L1 has not answered 200`, hot.asked - hot.ok),
  exactly(`requests of ${all.asked} neither 200 nor 503`, all.asked - all.ok - all.shed),
  exactly(`503 of ${all.shed} without Retry-After`, all.withoutRetryAfter),
  exactly('wrong bodies', all.wrongBodies),
  atMost('slowest 503', all.shedMaxMs, 2100, ' ms'), // two tries of 1 s (nginx/retries.js)
  atMost('slowest answer', all.maxMs, 2500, ' ms'),
  atMost('last refusal after its return', observed.lastErrorAfterMs(healedMs), recoveryMs, ' ms'),
];

/**
 * Watches that no worker ends while something is done.
 * @param {Rig} rig @param {() => Promise<Check[]>} work @returns {Promise<Check[]>}
 */
async function withoutExit(rig, work) {
  const before = rig.workerPids();
  const checks = await work();
  const ended = before.filter((pid) => !rig.workerPids().includes(pid));
  return [...checks, exactly('workers that ended', ended.length)];
}

/** @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs @returns {Promise<number>} ms until it held; Infinity: never */
async function timeUntil(condition, timeoutMs) {
  const sinceMs = performance.now();
  return (await waitUntil(condition, timeoutMs)) ? performance.now() - sinceMs : Infinity;
}

module.exports = { underLoad, unnoticed, refusedInOrder, withoutExit, timeUntil, wait, epochMs };
