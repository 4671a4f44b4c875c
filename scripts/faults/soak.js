'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { atMost, exactly, atLeast } = require('./checks');
const { findKnee } = require('./knee');
const { openFiles, processTree, residentMb } = require('./processes');
const { epochMs } = require('./scenario');

/** @typedef {import('./rig').Rig} Rig */

/** Share of the breaking point that the load is. */
const loadShare = 0.6;
const sampleMs = 5000;
/** After a fault's end refusals are still explained by it. */
const recoveryMs = 5000;
/** A process that starts anew grows for a while; only the second half of the time is compared. */
const settledShare = 0.5;

/**
 * @typedef {object} Disturbance
 * @property {string} name
 * @property {number} seconds
 * @property {(rig: Rig) => unknown} inject
 * @property {(rig: Rig) => unknown} heal
 */

const nothing = () => {};

/** @type {Disturbance[]} */
const disturbances = [
  {
    name: 'Redis killed',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkeyPid, 'SIGKILL'),
    heal: (rig) => rig.servers.startValkey(),
  },
  {
    name: 'Redis frozen',
    seconds: 10,
    inject: (rig) => process.kill(rig.servers.valkeyPid, 'SIGSTOP'),
    heal: (rig) => process.kill(rig.servers.valkeyPid, 'SIGCONT'),
  },
  {
    name: 'Redis slow',
    seconds: 10,
    inject: (rig) => rig.proxies.redis.set({ delayMs: 200, jitterMs: 100 }),
    heal: (rig) => rig.proxies.redis.heal(),
  },
  {
    name: 'PostgreSQL restarted',
    seconds: 2,
    inject: (rig) => rig.servers.stopPostgres('fast'),
    heal: (rig) => rig.servers.startPostgres(),
  },
  {
    name: 'PostgreSQL in a black hole',
    seconds: 10,
    inject: (rig) => rig.proxies.postgres.hold(true),
    heal: (rig) => rig.proxies.postgres.hold(false),
  },
  {
    name: 'PostgreSQL connections cut',
    seconds: 0,
    inject: (rig) => rig.proxies.postgres.cut(),
    heal: nothing,
  },
  {
    name: 'worker killed',
    seconds: 5,
    inject: (rig) => rig.signalWorker(0, 'SIGKILL'),
    heal: nothing,
  },
  {
    name: 'worker frozen',
    seconds: 5,
    inject: (rig) => rig.signalWorker(1, 'SIGSTOP'),
    heal: (rig) => rig.signalWorker(1, 'SIGCONT'),
  },
  { name: 'workers reloaded', seconds: 0, inject: (rig) => rig.reloadWorkers(), heal: nothing },
  { name: 'nginx reloaded', seconds: 0, inject: (rig) => rig.nginx.reload(), heal: nothing },
];

/** @param {Rig} rig @returns {{ memoryMb: number, files: number }} of nginx and the workers together */
function sample(rig) {
  const pids = [...processTree(rig.nginx.pid), ...rig.workerPids().filter(Boolean)];
  const sum = (/** @type {(pid: number) => number} */ of) =>
    pids.reduce((total, pid) => total + of(pid), 0);
  return { memoryMb: sum(residentMb), files: sum(safeOpenFiles) };
}

/** @param {number} pid @returns {number} 0 for a process that has just ended */
function safeOpenFiles(pid) {
  try {
    return openFiles(pid);
  } catch {
    return 0;
  }
}

/** Slope of a straight line through the values (least squares), as percent of their mean for each hour. @param {number[]} values one each sampleMs */
function percentPerHour(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const covariance = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return (100 * (covariance / variance) * (3_600_000 / sampleMs)) / mean;
}

/**
 * Hours of everyday trouble: constant load, and a random fault now and then.
 * @param {Rig} rig
 * @param {{ minutes: number, everyMinutes: number }} options
 * @returns {Promise<import('./run').Result>}
 */
async function soak(rig, { minutes, everyMinutes }) {
  const { kneeRate } = await findKnee(rig, 4, { truth: {} });
  const rate = Math.round(kneeRate * loadShare);
  rig.say(`soak: ${minutes} minutes at ${rate} requests a second, 60 % of the breaking point`);
  const sinceMs = epochMs();
  const load = await rig.startLoad({ rate });
  /** @type {{ memoryMb: number, files: number }[]} */
  const samples = [];
  const sampling = setInterval(() => samples.push(sample(rig)), sampleMs);
  const outages = await disturb(rig, { untilMs: sinceMs + minutes * 60_000, everyMinutes });
  clearInterval(sampling);
  const observed = await load.stop();
  const { asked, ok, failed, otherErrors, wrongBodies, withoutRetryAfter, p99Ms } = observed.all();
  const explained = outages.reduce(
    (sum, [fromMs, toMs]) => sum + observed.between(fromMs, toMs).shed,
    0,
  );
  const settled = samples.slice(Math.floor(samples.length * settledShare));
  const slope = (/** @type {'memoryMb' | 'files'} */ name) =>
    percentPerHour(settled.map((one) => one[name]));
  return {
    ...{ id: 'soak', title: 'Soak', seconds: (epochMs() - sinceMs) / 1000 },
    done: `${minutes} minutes at ${rate} requests a second with ${outages.length} random faults`,
    checks: [
      atLeast('requests', asked, 1000),
      exactly('no reply, or neither 200 nor 503', failed + otherErrors),
      exactly(
        `503 of ${asked - ok} outside of a fault and ${recoveryMs / 1000} s after it`,
        observed.all().shed - explained,
      ),
      exactly('wrong bodies', wrongBodies),
      exactly('503 without Retry-After', withoutRetryAfter),
      atMost('p99 of the 200', p99Ms, 500, ' ms'),
      atMost(
        'memory of nginx and workers, slope of the second half',
        slope('memoryMb'),
        5,
        ' % an hour',
      ),
      atMost('descriptors, the same', slope('files'), 5, ' % an hour'),
    ],
  };
}

/**
 * @param {Rig} rig
 * @param {{ untilMs: number, everyMinutes: number }} options
 * @returns {Promise<[fromMs: number, toMs: number][]>} when refusals are explained by a fault
 */
async function disturb(rig, { untilMs, everyMinutes }) {
  /** @type {[number, number][]} */
  const outages = [];
  while (epochMs() + everyMinutes * 60_000 < untilMs) {
    await sleep(everyMinutes * 60_000);
    const { name, seconds, inject, heal } =
      disturbances[Math.floor(Math.random() * disturbances.length)];
    rig.say(`soak: ${name}`);
    const fromMs = epochMs();
    await inject(rig);
    await sleep(seconds * 1000);
    await heal(rig);
    outages.push([fromMs, epochMs() + recoveryMs]);
  }
  await sleep(Math.max(0, untilMs - epochMs()));
  return outages;
}

module.exports = { soak };
