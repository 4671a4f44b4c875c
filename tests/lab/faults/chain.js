'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { waitUntil } = require('../../../scripts/lib/wait-until');
const { withClient } = require('../../../scripts/local/roles');

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

/** Those that must still live after the test. @type {number[]} */
let pids = [];
/** For a fault that ends workers. */
const workersMayEnd = () => (pids = []);

beforeEach(() => {
  pids = rig.workerPids();
});
afterEach(async () => {
  const after = rig.workerPids();
  rig.proxies.postgres.heal();
  rig.proxies.redis.heal();
  await rig.ready();
  expect(after).toEqual(expect.arrayContaining(pids));
});

module.exports = { query, rig, scale, scaled, timeUntil, wait, workersMayEnd };
