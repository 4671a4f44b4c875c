'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { send } = require('../../../scripts/lib/process');
const { runTool } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { atMost } = require('../judge');
const { shapeOf } = require('./shape');
const { underLoad, underWrites } = require('./under-load');

/* Incidents have this in common: clients read through the public address all the time. */

const { address } = shapeOf('nine');
const base = `http://${address}`;
const writers = `https://${address}:8443`;

/** @import { Figures } from '../judge' */
/** @import { Seen, Written } from './under-load' */
/** @import { Fleet } from './use-machines' */
/** @typedef {Parameters<Parameters<typeof underWrites>[1]>[0] & { key: string }} Writes */
/** @typedef {{ done: string, target: string, run: (fleet: Fleet, scale: number) => Promise<Figures> }} Incident `scale`: of load and rounds */

/** The fleet answers so many with room to spare when two cores run all of it. @param {number} requests @param {number} scale */
const sizeOf = (requests, scale) => ({ rate: scale < 1 ? 100 : 200, requests: requests * scale });
/** @param {number} count @param {number} scale */
const some = (count, scale) => Math.max(1, Math.round(count * scale));
/** @param {number} seconds @param {number} scale */
const pause = (seconds, scale) => sleep(some(seconds, scale) * 1000);

/** Every request was sent, and none failed. @param {Seen} seen @returns {Figures} */
const answered = ({ sent, failed, unsent, p99, max, slow, failures }) => ({
  sent: [sent],
  failed: [failed, 0],
  unsent: [unsent, 0],
  p99Ms: [p99],
  longestMs: [max],
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

/** @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {() => Promise<unknown>} happen */
const underReads = ({ network }, size, happen) => underLoad({ network, base }, size, happen);

/** @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {(writes: Writes) => Promise<unknown>} happen */
async function underBoth(fleet, size, happen) {
  const words = `create incidents-${Date.now()} --scopes content,stock,history,changes`;
  const key = (await fleet.admin.must('db-1', `catalog-key ${words}`)).trim();
  /** @type {Seen | undefined} */
  let seen;
  const written = await underWrites({ network: fleet.network, base: writers, key }, async (writes) => {
    seen = await underReads(fleet, size, () => happen({ ...writes, key }));
  });
  return { seen: /** @type {Seen} */ (seen), written };
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
  underReads,
  until,
  writers,
};
