'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const readline = require('node:readline');
const { environment } = require('../lib/environment');
const { waitUntil } = require('../lib/wait-until');

const generator = path.join(__dirname, 'constant-load.js');
const longestMs = 900_000;

/**
 * @typedef {object} Seen
 * @property {number} sent
 * @property {number} failed
 * @property {number} refused with 503, of the failed ones
 * @property {number} unsent that should have been sent: the load itself was too slow
 * @property {number} p99 milliseconds, as max
 * @property {number} max
 * @property {number} slow of more than 300 ms
 * @property {string[]} failures
 */

/**
 * Lets something happen in the middle of constant load: a quarter before it, then as much as is still missing.
 * @param {{ network: string, base: string }} client namespace, and URL of the balancer
 * @param {{ rate: number, requests: number }} size requests a second, and how many at least
 * @param {() => Promise<void>} happen
 * @returns {Promise<Seen>}
 */
async function underLoad({ network, base }, { rate, requests }, happen) {
  const words = [`--net=/run/netns/${network}`, process.execPath, generator, base, String(rate)];
  const child = spawn('nsenter', words, { stdio: ['ignore', 'pipe', 'inherit'], env: environment('server') });
  /** @type {any} */
  let last = { sent: 0 };
  const lines = readline.createInterface({ input: child.stdout });
  lines.on('line', (line) => (last = JSON.parse(line)));
  const ended = once(lines, 'close');
  const reached = async (/** @type {number} */ count) => {
    const ok = await waitUntil(() => last.sent >= count || child.exitCode !== null, longestMs);
    if (!ok || child.exitCode !== null) throw new Error('the load generator ended too early');
  };
  try {
    await reached(requests / 4);
    await happen();
    await reached(requests);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  return last;
}

module.exports = { underLoad };
