'use strict';
const { once } = require('node:events');
const path = require('node:path');
const readline = require('node:readline');
const { environment } = require('../../../scripts/lib/environment');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { spawnMortal } = require('./machine');

const longestMs = 3_600_000;

/**
 * @typedef {object} Seen
 * @property {number} sent
 * @property {number} failed
 * @property {number} refused with 503, of the failed ones
 * @property {number} unsent that should have been sent: the load itself was too slow
 * @property {number} again sent twice, since nginx had closed the idle connection: only with `resend`
 * @property {number} p99 milliseconds, as max
 * @property {number} max
 * @property {number} slow of more than 300 ms
 * @property {number} lastFailedMs when the last failed request was due, since the epoch
 * @property {string[]} failures
 */
/**
 * @typedef {object} Written
 * @property {number} acknowledged writes
 * @property {number} repeated requests: of writes that were not answered at once
 * @property {number} pauseMs the longest time without an acknowledgement
 * @property {number} lost of the acknowledged
 * @property {number} doubled
 * @property {string[]} failures writes that were refused for good
 */

/**
 * Starts a program on the client's side, which prints a line of JSON each second, and its result after SIGTERM.
 * @param {string} network namespace @param {string} name of a file of this folder @param {string[]} words
 */
function startClient(network, name, words) {
  const program = ['nsenter', `--net=/run/netns/${network}`, process.execPath, path.join(__dirname, name), ...words];
  const child = spawnMortal('KILL', program, ['ignore', 'pipe', 'inherit'], environment('server'));
  /** @type {any} */
  let last = {};
  const lines = readline.createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
  lines.on('line', (line) => (last = JSON.parse(line)));
  const ended = once(lines, 'close');
  return {
    /** Waits until a count has reached a number. @param {string} count @param {number} number */
    async reached(count, number) {
      const ok = await waitUntil(() => (last[count] ?? 0) >= number || child.exitCode !== null, longestMs);
      if (!ok || child.exitCode !== null) throw new Error(`${name} ended too early`);
    },
    /** Waits until a count has grown. @param {string} count @param {number} by */
    more(count, by) {
      return this.reached(count, (last[count] ?? 0) + by);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return last;
    },
  };
}
/** @typedef {ReturnType<typeof startClient>} Client */

/**
 * Lets something happen in the middle of constant load: a quarter before it, then as much as is still missing.
 * @param {{ network: string, base: string }} client namespace, and URL of the balancer
 * @param {{ rate: number, requests: number, resend?: boolean }} size requests a second, how many at least, and whether a request on an
 *   idle connection that the balancer had closed is sent again, as browsers do
 * @param {() => Promise<unknown>} happen
 * @returns {Promise<Seen>}
 */
async function underLoad({ network, base }, { rate, requests, resend = false }, happen) {
  const client = startClient(network, 'constant-load.js', [base, String(rate), ...(resend ? ['resend'] : [])]);
  /** @type {Seen | undefined} */
  let seen;
  try {
    await client.reached('sent', requests / 4);
    await happen();
    await client.reached('sent', requests);
  } finally {
    seen = await client.stop();
  }
  return /** @type {Seen} */ (seen);
}

/**
 * As underLoad, beside clients that write.
 * @param {{ network: string, base: string, key: string }} client `base` of the writers
 * @param {(writes: Client) => Promise<unknown>} happen @returns {Promise<Written>}
 */
async function underWrites({ network, base, key }, happen) {
  const client = startClient(network, 'constant-writes.js', [base, key]);
  /** @type {Written | undefined} */
  let written;
  try {
    await client.reached('acknowledged', 20);
    await happen(client);
  } finally {
    written = await client.stop();
  }
  if (written?.lost === undefined) throw new Error('constant-writes.js ended without a result');
  return written;
}

module.exports = { underLoad, underWrites };
