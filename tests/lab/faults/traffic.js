'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { signalRunning } = require('../../../scripts/lib/process');
const { kinds } = require('../testbed/rig');
const { rig, wait } = require('./chain');
const { answered, inTime, judge } = require('./limits');

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

/** Constant traffic before, during and after a fault. @param {Action} action */
async function underLoad({ inject, heal, seconds = 10, order }) {
  const load = await rig.startLoad(order);
  try {
    await wait(2); // the generator's first connections, and cold caches
    const warmMs = epochMs();
    await wait(2);
    const injectedMs = epochMs();
    try {
      await inject?.();
      await wait(seconds);
    } finally {
      await heal?.();
    }
    const healedMs = epochMs();
    await rig.ready();
    await wait(6);
    const observed = await load.stop();
    const settledMs = injectedMs + Math.min(settleMs, (healedMs - injectedMs) / 2);
    const [before, settled] = [observed.between(warmMs, injectedMs), observed.between(settledMs, healedMs)];
    return { observed, injectedMs, healedMs, before, settled, all: observed.all(), hot: observed.all(kinds.hot) };
  } finally {
    await load.stop(); // or it would continue during the next fault
  }
}

/**
 * Moments are milliseconds since the epoch. `settled`: from a second after the fault until it is healed; `hot`: the paths that L1 has.
 * @typedef {Awaited<ReturnType<typeof underLoad>>} Course
 */

/** @param {number} seconds whatever the scale @param {Action['order']} order */
async function loadFor(seconds, order) {
  const load = await rig.startLoad(order);
  await sleep(seconds * 1000);
  return load.stop();
}

/** A rate is sustained while nearly all of it is answered, and in this time. */
const sustained = { share: 0.95, p99Ms: 500 };
const rates = { first: 1000, growth: 1.25, highest: 60_000 };

/**
 * Raises the rate step by step until the chain no longer keeps up.
 * @param {number} stepSeconds @param {Action['order']} order
 * @returns {Promise<{ breakingRate: number, peakPerSecond: number }>} the last sustained rate, and the most replies 200 in a
 *   second of any step
 */
async function findBreakingPoint(stepSeconds, order) {
  const step = async (/** @type {number} */ rate) => (await loadFor(stepSeconds, { ...order, rate })).all();
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

const slowestPollMs = 1000;

/**
 * Requests paths of the admin listeners fifteen times as often as Prometheus does.
 * @param {string[]} paths @returns {Promise<() => Promise<void>>} how to stop and judge it
 */
async function pollAdmin(paths) {
  const order = { paths: [paths], shares: [1], digests: {}, rate: paths.length };
  const polls = await Promise.all(
    rig.adminPorts.map((port) => rig.startLoad({ ...order, target: { host: '127.0.0.1', port } })),
  );
  return async () => {
    const seen = (await Promise.all(polls.map((poll) => poll.stop()))).map((observed) => observed.all());
    for (const one of seen) judge({ ...answered(one), slowestMs: [one.maxMs, inTime(slowestPollMs)] });
  };
}

// Faults of several suites, and of a soak

/** @typedef {{ set: (changes: any) => void, hold: (held: boolean) => void, heal: () => void }} Misbehaving a proxy */

/** @param {Misbehaving} proxy @param {Partial<import('../testbed/proxy').Misbehaviour>} changes @returns {Action} */
const misbehaves = (proxy, changes) => ({ inject: () => proxy.set(changes), heal: () => proxy.heal() });

/** Nothing passes and no connection ends. @param {Misbehaving} proxy @returns {Action} */
const blackHole = (proxy) => ({ inject: () => proxy.hold(true), heal: () => proxy.hold(false) });

/** @param {(signal: NodeJS.Signals) => unknown} send @returns {Action} */
const freezes = (send) => ({ inject: () => send('SIGSTOP'), heal: () => send('SIGCONT') });

/** @param {NodeJS.Signals} signal */
const signalRedis = (signal) => signalRunning('Valkey', rig.servers.valkey.pid, signal);
const redis = {
  /** @type {Action} */
  killed: { inject: () => signalRedis('SIGKILL'), heal: () => rig.servers.startValkey() },
  frozen: freezes(signalRedis),
  slow: misbehaves(rig.proxies.redis, { delayMs: 200, jitterMs: 100 }),
};

/** @param {'fast' | 'immediate'} mode @returns {Action} */
const restartsPostgres = (mode) => ({
  inject: () => rig.servers.postgres.stop(mode),
  heal: () => rig.servers.startPostgres(),
  seconds: 3,
});

const actions = { blackHole, freezes, misbehaves, redis, restartsPostgres };

module.exports = { ...actions, epochMs, findBreakingPoint, loadFor, pollAdmin, underLoad };
