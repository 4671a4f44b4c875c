'use strict';
const { setTimeout: sleep } = require('node:timers/promises');

const { maxCachedFiles } = require('../../nginx/render');
const { findBreakingPoint } = require('./breaking-point');
const { atMost, exactly, atLeast } = require('./checks');
const { randomDisturbances } = require('./disturbances');
const { epochMs } = require('./scenario');
const {
  calmOf,
  leastGained,
  percentPerHour,
  sample,
  stretchesOf,
  warmUpMs,
  workersSeen,
  writeSamples,
} = require('./trend');

/** @typedef {import('./rig').Rig} Rig */

/** Share of the breaking point that the load is. */
const loadShare = 0.6;
const sampleMs = 5000;
/** After a fault's end refusals are still explained by it. */
const recoveryMs = 5000;
/** A tenth of what a worker may take (server/README.md). */
const workerGainMb = 15;
/** A tenth of what a process of nginx has. */
const nginxGainMb = 1.5;

/**
 * Hours of everyday trouble: constant load, and a random fault now and then.
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
  const { outages, workersEnded, broken } = await disturb(rig, {
    untilMs: sinceMs + minutes * 60_000,
    everyMinutes,
  });
  clearInterval(sampling);
  const observed = await load.stop();
  const { asked, ok, failed, otherErrors, wrongBodies, withoutRetryAfter, p99Ms } = observed.all();
  const explained = outages.reduce((sum, { fromMs, toMs }) => sum + observed.shedDuring(fromMs, toMs), 0);
  writeSamples(lives);
  const without = { outages, settleMs: Math.min(warmUpMs, (minutes * 60_000) / 4) };
  const [nginx, workers] = [calmOf(lives, 'nginx', without), calmOf(lives, 'worker', without)];
  const calm = [...nginx, ...workers];
  return {
    id: 'soak',
    title: 'Soak',
    rate: String(rate),
    seconds: (epochMs() - sinceMs) / 1000,
    done: `${minutes} minutes at ${rate} requests a second with ${outages.length} random faults`,
    checks: [
      exactly(`disturbances that could not be made${broken && `: ${broken}`}`, Number(broken !== '')),
      atLeast('requests', asked, 1000),
      exactly('no reply, or neither 200 nor 503', failed + otherErrors),
      exactly(
        `503 of ${asked - ok} outside of a fault and ${recoveryMs / 1000} s after it`,
        observed.all().shed - explained,
      ),
      exactly('wrong bodies', wrongBodies),
      exactly('503 without Retry-After', withoutRetryAfter),
      atMost('p99 of the 200', p99Ms, 500, ' ms'),
      exactly('workers that ended without a fault', workersSeen(lives) - rig.workerPorts.length - workersEnded),
      atMost(
        'memory of the workers between faults',
        percentPerHour(stretchesOf(workers, outages), 'memoryMb'),
        1,
        ' % an hour',
      ),
      atMost('memory that a worker gained, faults included', leastGained(workers, 'memoryMb'), workerGainMb, ' MB'),
      atMost('memory that a process of nginx gained', leastGained(nginx, 'memoryMb'), nginxGainMb, ' MB'),
      atMost('more sockets that a process keeps open when least is asked for', leastGained(calm, 'sockets'), 200),
      // They come and go with what is asked for: a slope says nothing of them, their bound does. A reply that is being
      // sent holds one that nginx has let go of.
      atMost(
        'cached replies held open by one process',
        Math.max(...nginx.flat().map(({ cached }) => cached)),
        1.05 * maxCachedFiles,
      ),
      atMost('their other descriptors', percentPerHour(calm, 'files'), 5, ' % an hour'),
    ],
  };
}

/**
 * @param {Rig} rig
 * @param {{ untilMs: number, everyMinutes: number }} options
 * @returns {Promise<{ outages: import('./trend').Outage[], workersEnded: number, broken: string }>} when refusals, and
 *   how many ends of workers, are explained by a fault; and why one could not be made, where the soak ends: it tells what it
 *   saw until then
 */
async function disturb(rig, { untilMs, everyMinutes }) {
  /** @type {import('./trend').Outage[]} */
  const outages = [];
  let workersEnded = 0;
  const disturbances = randomDisturbances();
  while (epochMs() + everyMinutes * 60_000 < untilMs) {
    await sleep(everyMinutes * 60_000);
    const { name, seconds, inject, heal, endsWorkers = 0 } = disturbances.next().value;
    rig.say(`soak: ${name}`);
    const fromMs = epochMs();
    try {
      await inject(rig);
      await sleep(seconds * 1000);
      await heal(rig);
    } catch (error) {
      return { outages, workersEnded, broken: `${name}: ${/** @type {Error} */ (error).message}` };
    }
    outages.push({ fromMs, toMs: epochMs() + recoveryMs });
    workersEnded += endsWorkers;
  }
  await sleep(Math.max(0, untilMs - epochMs()));
  return { outages, workersEnded, broken: '' };
}

module.exports = { disturb, soak };
