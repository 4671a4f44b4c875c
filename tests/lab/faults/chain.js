'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { waitUntil } = require('../../../scripts/lib/wait-until');
const { withClient } = require('../../../scripts/local/roles');
const { atLeast, atMost, judge } = require('../judge');
const { kinds } = require('../testbed/rig');

/* Shared by all suites: the chain, limits, traffic, and faults of several of them. */

/** @import { Summary } from '../testbed/loadgen/observed' */
/** @import { Figures } from '../judge' */

/** The chain that faults.js has opened, for all suites. @type {import('../testbed/rig').Rig} */
const rig = /** @type {any} */ (globalThis).lab.rig;
const scale = rig.short ? 1 / 6 : 1;

/** @param {number} seconds at full scale */
const wait = (seconds) => sleep(Math.max(300, seconds * 1000 * scale));
/** A count at full scale, less in a short run. @param {number} full @param {number} [least] */
const scaled = (full, least = 0) => Math.max(least, Math.round(full * scale));

/** @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs @returns {Promise<number>} ms until it held */
async function timeUntil(condition, timeoutMs) {
  const sinceMs = performance.now();
  if (await waitUntil(condition, timeoutMs)) return performance.now() - sinceMs;
  throw new Error(`what is awaited did not happen within ${timeoutMs} ms`);
}

/** @param {string} sql past the proxy, as superuser */
const query = (sql) =>
  withClient(rig.servers.postgres.superuserDsn('catalog'), async (client) => (await client.query(sql)).rows);

/** @returns {Promise<number>} of the workers with PostgreSQL */
const connections = async () =>
  (await query("SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'catalog_api'"))[0].count;

/** Those that must still live after the test. @type {number[]} */
let pids = [];
/** For a fault that ends workers. */
const workersMayEnd = () => (pids = []);
let held = 0;
const releaseMs = 15_000;

beforeEach(async () => {
  pids = rig.workerPids();
  held = await connections();
});
afterEach(async () => {
  const after = rig.workerPids();
  rig.proxies.postgres.heal();
  rig.proxies.redis.heal();
  await rig.ready();
  expect(after).toEqual(expect.arrayContaining(pids));
  await timeUntil(async () => (await connections()) <= held, releaseMs); // no fault leaves connections behind
});

// Limits

/** A limit that the machine's speed decides: a short run does not judge it. @param {unknown} limit */
const timed = (limit) => (rig.short ? expect.any(Number) : limit);
/** @param {number} limit */
const inTime = (limit) => timed(atMost(limit));

const shownFailures = 3;
/** Every request gets 200 and the correct body. @param {Summary} summary @returns {Figures} */
const answered = ({ asked, ok, wrongBodies, failures }) => ({
  asked: [asked, atLeast(1)],
  notAnswered: [asked - ok, 0],
  wrongBodies: [wrongBodies, 0],
  failures: [failures.slice(0, shownFailures), []],
});

const p99RiseMs = 50;
/** Answered, and about as fast. @param {Course} course @returns {Figures} */
const unnoticed = ({ all, before, settled }) => ({
  ...answered(all),
  p99RiseMs: [settled.p99Ms - before.p99Ms, inTime(p99RiseMs)],
});

/** @param {Summary} summary @returns {Figures} */
const inOrder = ({ asked, ok, shed, withoutRetryAfter, wrongBodies }) => ({
  neither200Nor503: [asked - ok - shed, 0],
  withoutRetryAfter: [withoutRetryAfter, 0],
  wrongBodies: [wrongBodies, 0],
});

// Traffic

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

// Faults of several suites

/** @typedef {{ set: (changes: any) => void, hold: (held: boolean) => void, heal: () => void }} Misbehaving a proxy */

/** @param {Misbehaving} proxy @param {Partial<import('../testbed/proxy').Misbehaviour>} changes @returns {Action} */
const misbehaves = (proxy, changes) => ({ inject: () => proxy.set(changes), heal: () => proxy.heal() });

/** Nothing passes and no connection ends. @param {Misbehaving} proxy @returns {Action} */
const blackHole = (proxy) => ({ inject: () => proxy.hold(true), heal: () => proxy.hold(false) });

/** @param {(signal: NodeJS.Signals) => unknown} send @returns {Action} */
const freezes = (send) => ({ inject: () => send('SIGSTOP'), heal: () => send('SIGCONT') });

module.exports = {
  answered,
  atLeast,
  atMost,
  blackHole,
  epochMs,
  freezes,
  inOrder,
  inTime,
  judge,
  misbehaves,
  query,
  rig,
  scale,
  scaled,
  timeUntil,
  timed,
  underLoad,
  unnoticed,
  wait,
  workersMayEnd,
};
