'use strict';
const crypto = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');

const { maxCachedFiles } = require('../../nginx/render');
const { shuffled } = require('../lib/shuffled');
const actions = require('./actions');
const { atLeast, atMost, exactly } = require('./checks');
const { epochMs, findBreakingPoint } = require('./scenario');
const { calmOf, leastGained, percentPerHour, sample, stretchesOf, workersSeen, writeSamples } = require('./trend');
/** @import { Rig } from '../testbed/rig' */

/** Share of the breaking point that the traffic is. */
const loadShare = 0.6;
const sampleMs = 5000;
/** After the end of a fault, refusals still belong to it. */
const recoveryMs = 5000;
/** A new process still grows this long: workers gained 2 % in their first quarter of an hour, and 0.6 % an hour after it. */
const warmUpMs = 15 * 60_000;
/** A tenth of a worker's limit (server/README.md). */
const workerGainMb = 15;
/** A tenth of what a process of nginx has. */
const nginxGainMb = 1.5;

/**
 * @typedef {object} Disturbance
 * @property {string} name
 * @property {number} seconds
 * @property {(rig: Rig) => import('./scenario').Action} of
 * @property {number} [endsWorkers] processes that end because of it
 */

/** @type {Disturbance[]} */
const disturbances = [
  { name: 'Redis killed', seconds: 10, of: actions.killsRedis },
  { name: 'Redis frozen', seconds: 10, of: actions.freezesRedis },
  { name: 'Redis slow', seconds: 10, of: actions.slowsRedis },
  { name: 'PostgreSQL restarted', seconds: 2, of: (rig) => actions.restartsPostgres(rig, 'fast') },
  { name: 'PostgreSQL in a black hole', seconds: 10, of: (rig) => actions.blackHole(rig.proxies.postgres) },
  { name: 'PostgreSQL connections cut', seconds: 0, of: (rig) => ({ inject: () => rig.proxies.postgres.cut() }) },
  {
    name: 'worker killed',
    seconds: 5,
    of: (rig) => ({ inject: () => rig.signalWorker(0, 'SIGKILL') }),
    endsWorkers: 1,
  },
  { name: 'worker frozen', seconds: 5, of: (rig) => actions.freezes((signal) => rig.signalWorker(1, signal)) },
  { name: 'workers reloaded', seconds: 0, of: (rig) => ({ inject: () => rig.reloadWorkers() }), endsWorkers: 2 },
  { name: 'nginx reloaded', seconds: 0, of: (rig) => ({ inject: () => rig.nginx.reload() }) },
];

/** @returns {Generator<Disturbance, never>} endless; each of them comes before one comes again */
function* randomDisturbances() {
  for (;;) yield* shuffled(disturbances, (bound) => crypto.randomInt(bound));
}

/**
 * Hours of constant traffic, with a random fault now and then.
 * @param {Rig} rig
 * @param {{ minutes: number, everyMinutes: number }} options
 * @returns {Promise<import('./run').Result>}
 */
async function soak(rig, { minutes, everyMinutes }) {
  const { breakingRate } = await findBreakingPoint(rig, 4, { digests: {} });
  const rate = Math.round(breakingRate * loadShare);
  rig.say(`soak: ${minutes} minutes at ${rate} requests a second, 60 % of the breaking point`);
  const sinceMs = epochMs();
  const load = await rig.startLoad({ rate });
  /** @type {import('./trend').Lives} */
  const lives = new Map();
  const sampling = setInterval(() => sample(rig, lives), sampleMs);
  const disturbed = await disturb(rig, { untilMs: sinceMs + minutes * 60_000, everyMinutes });
  clearInterval(sampling);
  const observed = await load.stop();
  writeSamples(lives);
  const { outages, workersEnded, broken } = disturbed;
  const ended = workersSeen(lives) - rig.workerPorts.length - workersEnded;
  return {
    ...{ id: 'soak', title: 'Soak', rate, seconds: (epochMs() - sinceMs) / 1000 },
    done: `${minutes} minutes at ${rate} requests a second with ${outages.length} random faults`,
    checks: [
      exactly(`disturbances that could not be made${broken && `: ${broken}`}`, Number(broken !== '')),
      ...trafficChecks(observed, outages),
      exactly('workers that ended without a fault', ended),
      ...growthChecks(lives, { outages, settleMs: Math.min(warmUpMs, (minutes * 60_000) / 4) }),
    ],
  };
}

/** @param {import('../testbed/loadgen/observed').Observed} observed @param {import('./trend').Outage[]} outages */
function trafficChecks(observed, outages) {
  const { asked, shed, failed, otherErrors, wrongBodies, withoutRetryAfter, p99Ms } = observed.all();
  const explained = outages.reduce((sum, { fromMs, toMs }) => sum + observed.shedDuring(fromMs, toMs), 0);
  return [
    atLeast('requests', asked, 1000),
    exactly('no reply, or neither 200 nor 503', failed + otherErrors),
    exactly(`503 of ${shed} outside of a fault and ${recoveryMs / 1000} s after it`, shed - explained),
    exactly('wrong bodies', wrongBodies),
    exactly('503 without Retry-After', withoutRetryAfter),
    atMost('p99 of the 200', p99Ms, 500, ' ms'),
  ];
}

/** @param {import('./trend').Lives} lives @param {{ outages: import('./trend').Outage[], settleMs: number }} without */
function growthChecks(lives, without) {
  const [nginx, workers] = [calmOf(lives, 'nginx', without), calmOf(lives, 'worker', without)];
  const calm = [...nginx, ...workers];
  const slope = percentPerHour(stretchesOf(workers, without.outages), 'memoryMb');
  const cached = Math.max(...nginx.flat().map((one) => one.cached));
  return [
    atMost('memory of the workers between faults', slope, 1, ' % an hour'),
    atMost('memory that a worker gained, faults included', leastGained(workers, 'memoryMb'), workerGainMb, ' MB'),
    atMost('memory that a process of nginx gained', leastGained(nginx, 'memoryMb'), nginxGainMb, ' MB'),
    atMost('sockets that a process gained, at its lowest count', leastGained(calm, 'sockets'), 200),
    // Their count follows the traffic, so the bound is judged and not the slope. A reply in transit keeps one open.
    atMost('cached replies held open by one process', cached, 1.05 * maxCachedFiles),
    atMost('other descriptors', percentPerHour(calm, 'files'), 5, ' % an hour'),
  ];
}

/**
 * @param {Rig} rig
 * @param {{ untilMs: number, everyMinutes: number }} options
 * @returns {Promise<{ outages: import('./trend').Outage[], workersEnded: number, broken: string }>} the faults made, and why
 *   one could not be made, which ends the soak
 */
async function disturb(rig, { untilMs, everyMinutes }) {
  /** @type {import('./trend').Outage[]} */
  const outages = [];
  let workersEnded = 0;
  const endless = randomDisturbances();
  while (epochMs() + everyMinutes * 60_000 < untilMs) {
    await sleep(everyMinutes * 60_000);
    const { name, seconds, of, endsWorkers = 0 } = endless.next().value;
    rig.say(`soak: ${name}`);
    const fromMs = epochMs();
    try {
      const { inject, heal } = of(rig);
      await inject?.();
      await sleep(seconds * 1000);
      await heal?.();
    } catch (error) {
      return { outages, workersEnded, broken: `${name}: ${/** @type {Error} */ (error).message}` };
    }
    outages.push({ fromMs, toMs: epochMs() + recoveryMs });
    workersEnded += endsWorkers;
  }
  await sleep(Math.max(0, untilMs - epochMs()));
  return { outages, workersEnded, broken: '' };
}

module.exports = { disturb, randomDisturbances, soak };
