'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { waitUntil } = require('../../../scripts/lib/wait-until');
const { kinds } = require('../testbed/rig');
const { allAnswered, atMost, exactly, prefixed } = require('./checks');

/** @typedef {import('../testbed/rig').Rig} Rig */
/** @typedef {import('./checks').Check} Check */

const epochMs = () => performance.timeOrigin + performance.now();

/** How long a connection to the failed part may take to fail: targets apply afterwards. */
const settleMs = 1000;

/**
 * @typedef {object} Action
 * @property {() => unknown} [inject]
 * @property {() => unknown} [heal]
 * @property {number} [seconds] how long it lasts, at full scale
 * @property {Partial<import('../testbed/loadgen/generator').Order>} [order] of the traffic
 */

/** @param {Rig} rig @param {number} seconds at full scale */
const wait = (rig, seconds) => sleep(Math.max(300, seconds * 1000 * rig.scale));

/** A count at full scale, less in a short run. @param {Rig} rig @param {number} full @param {number} [least] */
const scaled = (rig, full, least = 0) => Math.max(least, Math.round(full * Math.min(1, rig.scale)));

/** Constant traffic before, during and after a fault. @param {Rig} rig @param {Action} action */
async function underLoad(rig, { inject, heal, seconds = 10, order }) {
  const load = await rig.startLoad(order);
  try {
    await wait(rig, 2); // the generator's first connections, and cold caches
    const warmMs = epochMs();
    await wait(rig, 2);
    const injectedMs = epochMs();
    try {
      await inject?.();
      await wait(rig, seconds);
    } finally {
      await heal?.();
    }
    const healedMs = epochMs();
    await rig.ready();
    await wait(rig, 6);
    const observed = await load.stop();
    return {
      ...{ observed, injectedMs, healedMs },
      before: observed.between(warmMs, injectedMs),
      /** From a second after the fault until it is healed. */
      settled: observed.between(injectedMs + Math.min(settleMs, (healedMs - injectedMs) / 2), healedMs),
      all: observed.all(),
      /** Of the paths that L1 has. */
      hot: observed.all(kinds.hot),
    };
  } finally {
    await load.stop(); // or it would continue during the next fault
  }
}

/** @typedef {Awaited<ReturnType<typeof underLoad>>} Course each moment in milliseconds since the epoch */

/** @param {Course} course @returns {Check[]} for a fault that no client may notice */
const unnoticed = ({ all, before, settled }) => [
  ...allAnswered(all),
  atMost('p99 after the first second, above the one before', settled.p99Ms - before.p99Ms, 50, ' ms'),
];

/**
 * For a fault of PostgreSQL: cached paths are answered, the others are refused at once and in order.
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

/** A fault that no client may notice. @param {Rig} rig @param {Action} action */
const hidden = async (rig, action) => unnoticed(await underLoad(rig, action));

/**
 * Requests health and metrics fifteen times as often as Prometheus does.
 * @param {Rig} rig @param {string[]} paths @returns {Promise<() => Promise<Check[]>>} how to stop it
 */
async function pollAdmin(rig, paths) {
  const order = { paths: [paths], shares: [1], digests: {}, rate: paths.length };
  const polls = await Promise.all(
    rig.adminPorts.map((port) => rig.startLoad({ ...order, target: { host: '127.0.0.1', port } })),
  );
  return async () => {
    const seen = await Promise.all(polls.map(async (poll) => (await poll.stop()).all()));
    const checks = seen.flatMap((one) => [...allAnswered(one), atMost('slowest of them', one.maxMs, 1000, ' ms')]);
    return prefixed('health and metrics', checks);
  };
}

/** @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs @returns {Promise<number>} ms until it held; Infinity: never */
async function timeUntil(condition, timeoutMs) {
  const sinceMs = performance.now();
  return (await waitUntil(condition, timeoutMs)) ? performance.now() - sinceMs : Infinity;
}

/** @param {Rig} rig @param {number} seconds whatever the scale @param {Action['order']} order */
async function loadFor(rig, seconds, order) {
  const load = await rig.startLoad(order);
  await sleep(seconds * 1000);
  return load.stop();
}

/** A rate is sustained while nearly all of it is answered, and in this time. */
const sustained = { share: 0.95, p99Ms: 500 };
const rates = { first: 1000, growth: 1.25, highest: 60_000 };

/**
 * Raises the rate step by step until the chain no longer keeps up.
 * @param {Rig} rig @param {number} stepSeconds @param {Action['order']} order
 * @returns {Promise<{ breakingRate: number, peakPerSecond: number }>} the last sustained rate, and the most replies 200 in a
 *   second of any step
 */
async function findBreakingPoint(rig, stepSeconds, order) {
  const step = async (/** @type {number} */ rate) => (await loadFor(rig, stepSeconds, { ...order, rate })).all();
  let [breakingRate, peakPerSecond] = [0, 0];
  await step(rates.first); // caches and compiled code first: a cold chain breaks early
  for (let rate = rates.first; rate < rates.highest; rate = Math.round(rate * rates.growth)) {
    const { asked, ok, p99Ms, okPerSecond } = await step(rate);
    peakPerSecond = Math.max(peakPerSecond, okPerSecond);
    if (ok < asked * sustained.share || p99Ms > sustained.p99Ms) break;
    breakingRate = rate;
  }
  if (breakingRate === 0) throw new Error(`the chain does not sustain ${rates.first} requests a second here`);
  return { breakingRate, peakPerSecond };
}

module.exports = {
  ...{ epochMs, findBreakingPoint, hidden, loadFor, pollAdmin, refusedInOrder, scaled },
  ...{ timeUntil, underLoad, unnoticed, wait },
};
