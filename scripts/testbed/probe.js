'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { get } = require('../lib/probe');

/** @param {number[]} adminPorts @param {string} path */
const getAll = (adminPorts, path) => Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}${path}`)));

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether nginx would send requests to all of these workers */
const allReady = async (adminPorts) => (await getAll(adminPorts, '/readyz')).every(({ status }) => status === 200);

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether every worker has stopped querying Redis */
const cachesDown = async (adminPorts) =>
  (await getAll(adminPorts, '/readyz')).every(({ body }) => JSON.parse(body).cache === 'down');

/**
 * @param {number[]} adminPorts
 * @param {string} name of a counter, with labels or without: `catalog_reads_total{tier="l2"}`
 * @returns {Promise<number>} its sum over these workers
 * @throws when one of them does not report it; with labels its event may not have happened yet
 */
async function counterOf(adminPorts, name) {
  const replies = await getAll(adminPorts, '/metrics');
  const lines = replies.map(({ body }) => body.split('\n').filter((line) => line.startsWith(name)));
  if (!name.includes('{') && lines.some(({ length }) => length === 0))
    throw new Error(`a worker does not report its ${name}`);
  return lines.flat().reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Fifteen times as often as Prometheus: at every moment of a fault, and no load of its own. */
const pollAdminMs = 1000;

/**
 * Requests health and metrics of workers until it is stopped.
 * @param {number[]} adminPorts @param {string[]} paths
 * @returns {() => Promise<{ asked: number, failed: number, slowestMs: number }>} how to stop it
 */
function startPollingAdmin(adminPorts, paths) {
  const seen = { asked: 0, failed: 0, slowestMs: 0 };
  const stopping = new AbortController();
  const poll = async (/** @type {string} */ url) => {
    const sinceMs = performance.now();
    const { status } = await get(url);
    seen.asked += 1;
    if (status !== 200) seen.failed += 1;
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - sinceMs);
  };
  const done = (async () => {
    while (!stopping.signal.aborted) {
      for (const port of adminPorts) for (const path of paths) await poll(`http://127.0.0.1:${port}${path}`);
      await sleep(pollAdminMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await done;
    return seen;
  };
}

module.exports = { allReady, cachesDown, counterOf, startPollingAdmin };
