'use strict';
const { execFile } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');

const { startNginx } = require('../../lib/nginx');
const { processTree } = require('../../lib/proc');
const { findBreakingPoint } = require('../breaking-point');
const { atLeast, atMost, exactly } = require('../checks');
const { epochMs, withoutExit } = require('../scenario');
const { adminAnswers, startAskingAdmin } = require('../worker-probe');

/** @typedef {import('../rig').Rig} Rig */

const run = promisify(execFile);

/**
 * At these rates the generator must not be what breaks: bodies are not compared, and with 3,000 connections a pause of 0.2 s
 * left it without a free one (50,666 requests of 2.1 million), with 6,000 one of 0.3 s at 17,900 a second (1,061), with
 * 12,000 one of half a second at 22,400 (3,288; none with 24,000, at 28,000), which callers of their own each would not have noticed. Documents alone: what a list costs is another breaking point.
 */
const anyBody = { digests: {}, shares: [0.2, 0.8], timeoutMs: 5000, maxConnections: 24000 };

/**
 * The chain gets core 0 and the generator the others: on the same cores a generator at three times the breaking point
 * would take from the chain what it asks it for.
 * @param {Rig} rig @param {number} nginxPid
 * @returns {Promise<() => Promise<void>>} how to undo it
 */
async function separateCores(rig, nginxPid) {
  const chain = [rig.servers.postgres.pid, rig.servers.valkey.pid, rig.pm2Pid, nginxPid];
  const pids = chain.flatMap(processTree);
  const pin = (/** @type {number} */ pid, /** @type {string} */ cores) =>
    run('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  const last = os.availableParallelism() - 1;
  for (const pid of pids) await pin(pid, '0');
  await pin(process.pid, `1-${last}`);
  return async () => {
    for (const pid of [...pids, process.pid]) await pin(pid, `0-${last}`);
  };
}

/**
 * One core has one worker, so nginx is another one here, and counts what may be under way for that one.
 * @param {Rig} rig
 */
const overloaded = (rig) =>
  withoutExit(rig, async () => {
    const port = rig.port + 7;
    const workers = [`127.0.0.1:${rig.workerPorts[0]}`];
    const nginx = await startNginx({ dir: path.join(rig.dir, 'one-core'), port, workers });
    const undo = await separateCores(rig, nginx.pid);
    try {
      return await measure(rig, { ...anyBody, target: { host: '127.0.0.1', port } });
    } finally {
      await undo();
      await nginx.stop();
    }
  });

/** @param {Rig} rig @param {Partial<import('../../testbed/loadgen/generator').Order>} order */
async function measure(rig, order) {
  const short = rig.scale < 1;
  const { breakingRate, peakPerSecond } = await findBreakingPoint(rig, short ? 1 : 4, order);
  const calm = await rig.startLoad({ ...order, rate: breakingRate / 2 });
  await sleep(short ? 1000 : 5000);
  const usual = (await calm.stop()).all();
  const stopAsking = startAskingAdmin(rig.adminPorts, ['/livez', '/readyz', '/metrics']);
  const storm = await rig.startLoad({ ...order, rate: 3 * breakingRate });
  await sleep(1000 * (short ? 5 : 120));
  const stormy = await storm.stop();
  const endedMs = epochMs();
  const after = await rig.startLoad({ ...order, rate: breakingRate / 2 });
  await sleep(short ? 2000 : 12_000);
  const calmAgain = await after.stop();
  const admin = await stopAsking();
  const { asked, shed, failed, otherErrors, withoutRetryAfter, p99Ms, okPerSecond } = stormy.all();
  return [
    atLeast('breaking point', breakingRate, 1000, ' requests a second'),
    atLeast('answered 200 at three times it, of the peak', (100 * okPerSecond) / peakPerSecond, 90, ' %'),
    atMost('p99 of what was accepted', p99Ms, 500, ' ms'),
    atLeast('refused', shed, 1),
    exactly('refused without Retry-After', withoutRetryAfter),
    exactly(`of ${asked} neither 200 nor 503`, failed + otherErrors),
    atMost('last refusal after its end', calmAgain.lastErrorAfterMs(endedMs), 10_000, ' ms'),
    atMost(
      'p99 then, above the usual',
      calmAgain.between(endedMs + 10_000 * Math.min(1, rig.scale), Infinity).p99Ms - usual.p99Ms,
      50,
      ' ms',
    ),
    ...adminAnswers(admin),
  ];
}

/** @type {import('../run').Fault[]} */
const overloadFaults = [
  {
    id: 'N10',
    title: 'Overload',
    done: 'three times the breaking point for two minutes, the chain with one worker on one core',
    run: overloaded,
    cannot: () => (os.availableParallelism() < 2 ? 'needs two cores' : ''),
  },
];

module.exports = { overloadFaults };
