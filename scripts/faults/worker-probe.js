'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { get } = require('../lib/probe');
const { atMost, exactly } = require('./checks');

/** @param {number[]} adminPorts @returns {Promise<boolean>} whether all of these workers would be given requests */
async function allReady(adminPorts) {
  const replies = await Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}/readyz`)));
  return replies.every(({ status }) => status === 200);
}

/**
 * @param {number[]} adminPorts
 * @param {string} name of a counter, with labels or without: `catalog_reads_total{tier="l2"}`
 * @returns {Promise<number>} its sum over these workers
 * @throws when one of them does not tell it; with labels it may just not have happened yet
 */
async function counterOf(adminPorts, name) {
  const replies = await Promise.all(adminPorts.map((port) => get(`http://127.0.0.1:${port}/metrics`)));
  const told = replies.map(({ body }) => body.split('\n').filter((line) => line.startsWith(name)));
  if (!name.includes('{') && told.some(({ length }) => length === 0))
    throw new Error(`a worker does not tell its ${name}`);
  return told.flat().reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Fifteen times as often as Prometheus: to be seen at every moment of a fault, and no load of its own. */
const askAdminEveryMs = 1000;

/** Asks for health and metrics of workers until it is told to stop. @param {number[]} adminPorts @param {string[]} paths */
function startAskingAdmin(adminPorts, paths) {
  const seen = { asked: 0, failed: 0, slowestMs: 0 };
  let stopping = false;
  const done = (async () => {
    while (!stopping) {
      for (const port of adminPorts)
        for (const path of paths) {
          const sinceMs = performance.now();
          const { status } = await get(`http://127.0.0.1:${port}${path}`);
          seen.asked += 1;
          if (status !== 200) seen.failed += 1;
          seen.slowestMs = Math.max(seen.slowestMs, performance.now() - sinceMs);
        }
      await sleep(askAdminEveryMs);
    }
  })();
  return async () => {
    stopping = true;
    await done;
    return seen;
  };
}

/** @param {{ asked: number, failed: number, slowestMs: number }} seen */
const adminAnswers = ({ asked, failed, slowestMs }) => [
  exactly(`of ${asked} questions to health and metrics not answered 200`, failed),
  atMost('slowest of them', slowestMs, 1000, ' ms'),
];

module.exports = { adminAnswers, allReady, counterOf, startAskingAdmin };
