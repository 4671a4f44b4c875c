'use strict';
const { once } = require('node:events');
const path = require('node:path');
const readline = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');
const { environment } = require('../../../scripts/lib/environment');
const { send } = require('../../../scripts/lib/process');
const { runTool } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { atMost } = require('../judge');
const { spawnMortal } = require('./machine');
const { shapeOf } = require('./use-machines');

/* Something happens, and clients read through the public address all the time. */

const { address } = shapeOf('nine');
const base = `http://${address}`;
const writers = `https://${address}:8443`;
const longestMs = 3_600_000;

/** @import { Figures } from '../judge' */
/** @import { Fleet } from './use-machines' */
/** @typedef {Client & { key: string }} Writes */
/** @typedef {{ done: string, run: (fleet: Fleet, scale: number) => Promise<Figures> }} Incident `scale`: of load and rounds */

/** The fleet answers so many with room to spare when two cores run all of it. @param {number} requests @param {number} scale */
const sizeOf = (requests, scale) => ({ rate: scale < 1 ? 100 : 200, requests: requests * scale });
/** @param {number} count @param {number} scale */
const some = (count, scale) => Math.max(1, Math.round(count * scale));
/** @param {number} seconds @param {number} scale */
const pause = (seconds, scale) => sleep(some(seconds, scale) * 1000);

/** Every request was sent, and none failed. @param {Seen} seen @returns {Figures} */
const answered = ({ asked, ok, unsent, p99Ms, maxMs, slow, failures }) => ({
  asked: [asked],
  failed: [asked - ok, 0],
  unsent: [unsent, 0],
  p99Ms: [Math.round(p99Ms)],
  longestMs: [Math.round(maxMs)],
  over300Ms: [slow],
  failures: [failures],
});

/** @param {Written} written @param {number} pauseMs that writes may wait @returns {Figures} */
const kept = (written, pauseMs) => ({
  acknowledgedWrites: [written.acknowledged],
  lost: [written.lost, 0],
  doubled: [written.doubled, 0],
  refusedWrites: [written.failures, []],
  writesPausedMs: [Math.round(written.pauseMs), atMost(pauseMs)],
});

/** @param {Fleet} fleet @param {string[]} words of curl, which runs on the client's side @returns {Promise<string>} */
async function curl({ network }, words) {
  const place = ['nsenter', `--net=/run/netns/${network}`, 'curl', '-sk', '-m', '5'];
  return (await runTool([...place, ...words], { keepOutput: true })).output;
}

/** @param {string} what @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs */
async function until(what, condition, timeoutMs) {
  if (!(await waitUntil(condition, timeoutMs))) throw new Error(`after ${timeoutMs / 1000} s not yet: ${what}`);
}

/** @param {Fleet} fleet @param {string[]} names @param {number} ms for which all processes of these machines are stopped */
async function freeze({ machines }, names, ms) {
  const pids = names.flatMap((name) => machines[name].processes());
  for (const pid of pids) send(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) send(pid, 'SIGCONT');
}

/**
 * @typedef {import('../testbed/loadgen/observed').Summary & { slow: number, lastFailedMs: number, failures: string[] }} Seen
 * `slow`: over 300 ms; `lastFailedMs`: when the last failed request was due, since the epoch
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
 * Lets something happen beside a client: after a first count, and the client goes on to the last.
 * @param {Client} client @param {string} count @param {number} first @param {number} last @param {() => Promise<unknown>} happen
 * @returns {Promise<any>} the client's result
 */
async function beside(client, count, first, last, happen) {
  let result;
  try {
    await client.reached(count, first);
    await happen();
    await client.reached(count, last);
  } finally {
    result = await client.stop();
  }
  return result;
}

/**
 * Lets something happen in the middle of constant load.
 * @param {{ network: string, base: string }} client namespace, and URL of the balancer
 * @param {{ rate: number, requests: number, resend?: boolean }} size requests a second, how many at least, and whether a request on an
 *   idle connection that the balancer had closed is sent again, as browsers do
 * @param {() => Promise<unknown>} happen @returns {Promise<Seen>}
 */
function underLoad({ network, base }, { rate, requests, resend }, happen) {
  const client = startClient(network, 'constant-load.js', [base, String(rate), resend ? 'resend' : '']);
  return beside(client, 'sent', requests / 4, requests, happen);
}

/** @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {() => Promise<unknown>} happen */
const underReads = ({ network }, size, happen) => underLoad({ network, base }, size, happen);

/**
 * As underReads, beside clients that write.
 * @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {(writes: Writes) => Promise<unknown>} happen
 * @param {string} [database] a server
 * @returns {Promise<{ seen: Seen, written: Written }>}
 */
async function underBoth(fleet, size, happen, database = 'db-1') {
  const words = `create incidents-${Date.now()} --scopes content,stock,history,changes`;
  const key = (await fleet.admin.must(database, `catalog-key ${words}`)).trim();
  const client = startClient(fleet.network, 'constant-writes.js', [writers, key]);
  /** @type {any} */
  let seen;
  const written = await beside(client, 'acknowledged', 20, 20, async () => {
    seen = await underReads(fleet, size, () => happen({ ...client, key }));
  });
  if (written.lost === undefined) throw new Error('constant-writes.js ended without a result');
  return { seen, written };
}

module.exports = {
  address,
  answered,
  curl,
  freeze,
  kept,
  pause,
  sizeOf,
  some,
  underBoth,
  underLoad,
  underReads,
  until,
  writers,
};
