'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { maxCachedFiles } = require('../../../nginx/render');
const { shuffled } = require('../../../scripts/generate/random');
const { processTree, residentMb } = require('../../../scripts/lib/proc');
const { root } = require('../../../scripts/lib/runtime');
const { openDescriptors } = require('../testbed/processes');
const actions = require('./actions');
const { atLeast, atMost, exactly } = require('./checks');
const { epochMs, findBreakingPoint } = require('./scenario');
/** @import { Rig } from '../testbed/rig' */

const sampleMs = 5000;
/** After the end of a fault, refusals still belong to it. */
const recoveryMs = 5000;
/** A new process still grows this long. */
const warmUpMs = 15 * 60_000;
/** A tenth of a worker's limit (server/README.md), and of what a process of nginx has. */
const gainMb = { worker: 15, nginx: 1.5 };

/** @typedef {{ fromMs: number, toMs: number }} Outage */
/** @typedef {{ name: string, seconds?: number, endedProcesses?: number, actionOf: (rig: Rig) => import('./scenario').Action }} Disturbance */

/** @type {Disturbance[]} `endedProcesses`: how many end because of it */
const disturbances = [
  { name: 'Redis killed', seconds: 10, actionOf: actions.killsRedis },
  { name: 'Redis frozen', seconds: 10, actionOf: actions.freezesRedis },
  { name: 'Redis slow', seconds: 10, actionOf: actions.slowsRedis },
  { name: 'PostgreSQL restarted', seconds: 2, actionOf: (rig) => actions.restartsPostgres(rig, 'fast') },
  { name: 'PostgreSQL in a black hole', seconds: 10, actionOf: (rig) => actions.blackHole(rig.proxies.postgres) },
  { name: 'PostgreSQL connections cut', actionOf: (rig) => ({ inject: rig.proxies.postgres.cut }) },
  {
    name: 'worker killed',
    seconds: 5,
    endedProcesses: 1,
    actionOf: (rig) => ({ inject: () => rig.signalWorker(0, 'SIGKILL') }),
  },
  { name: 'worker frozen', seconds: 5, actionOf: (rig) => actions.freezes((signal) => rig.signalWorker(1, signal)) },
  { name: 'workers reloaded', endedProcesses: 2, actionOf: (rig) => ({ inject: () => rig.reloadWorkers() }) },
  { name: 'nginx reloaded', actionOf: (rig) => ({ inject: rig.nginx.reload }) },
];

/** @returns {Generator<Disturbance, never>} endless; each of them comes before one comes again */
function* randomDisturbances() {
  for (;;) yield* shuffled(disturbances, (bound) => crypto.randomInt(bound));
}

/** @typedef {{ atMs: number, memoryMb: number } & ReturnType<typeof openDescriptors>} Sample of one process */
/** @typedef {Map<number, { kind: string, samples: Sample[] }>} Lives by process id */

/** Adds what nginx and the workers hold now. @param {Rig} rig @param {Lives} lives */
function sample(rig, lives) {
  const atMs = epochMs();
  const pids = { nginx: processTree(rig.nginx.pid), worker: rig.workerPids().filter(Boolean) };
  for (const [kind, some] of Object.entries(pids))
    for (const pid of some) {
      const life = lives.get(pid) ?? { kind, samples: [] };
      lives.set(pid, life);
      const memoryMb = residentMb(pid);
      if (memoryMb > 0) life.samples.push({ atMs, memoryMb, ...openDescriptors(pid) }); // 0: it has ended
    }
}

/** @param {Lives} lives @returns {number} worker processes that existed, one after the other */
const workersSeen = (lives) => [...lives.values()].filter(({ kind }) => kind === 'worker').length;

/** @param {Lives} lives @param {string} kind @param {number} settleMs the first time of a process, which is left out @returns {Sample[][]} */
const settled = (lives, kind, settleMs) =>
  [...lives.values()]
    .filter((life) => life.kind === kind)
    .map(({ samples }) => samples.filter(({ atMs }) => atMs >= samples[0].atMs + settleMs));

/** All of them as results/soak.csv, to find the cause of a rise. @param {Lives} lives */
function writeSamples(lives) {
  const rows = [...lives].flatMap(([pid, { kind, samples }]) =>
    samples.map(({ atMs, memoryMb, sockets, cached, files }) =>
      [new Date(atMs).toISOString(), kind, pid, memoryMb.toFixed(1), sockets, cached, files].join(','),
    ),
  );
  const file = path.join(root, 'results', 'soak.csv');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${['time,kind,pid,memory_mb,sockets,cached,files', ...rows].join('\n')}\n`);
}

/**
 * What processes hold follows the traffic and the faults, so a slope through it is chance. What is never given back raises the
 * lowest value.
 * @param {Sample[][]} lives
 * @param {'memoryMb' | 'sockets' | 'files'} name
 * @returns {number} the largest rise of a process, from the lowest value of its first third to that of its last; NaN when
 *   none lived long enough
 */
function leastGained(lives, name) {
  const least = (/** @type {Sample[]} */ part) => Math.min(...part.map((one) => one[name]));
  const gains = lives.flatMap((samples) => {
    const third = Math.floor(samples.length / 3);
    return third ? [least(samples.slice(-third)) - least(samples.slice(0, third))] : [];
  });
  return gains.length ? Math.max(...gains) : NaN;
}

/**
 * Hours of constant traffic, with a random fault now and then.
 * @param {Rig} rig
 * @param {{ minutes: number, everyMinutes: number }} options
 * @returns {Promise<import('./run').Result>}
 */
async function soak(rig, { minutes, everyMinutes }) {
  const { breakingRate } = await findBreakingPoint(rig, 4, { digests: {} });
  const rate = Math.round(breakingRate * 0.6);
  rig.say(`soak: ${minutes} minutes at ${rate} requests a second, 60 % of the breaking point`);
  const sinceMs = epochMs();
  const load = await rig.startLoad({ rate });
  /** @type {Lives} */
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
      ...growthChecks(lives, Math.min(warmUpMs, (minutes * 60_000) / 4)),
    ],
  };
}

/** @param {import('../testbed/loadgen/observed').Observed} observed @param {Outage[]} outages */
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

/** @param {Lives} lives @param {number} settleMs the first time of a process */
function growthChecks(lives, settleMs) {
  const [nginx, workers] = [settled(lives, 'nginx', settleMs), settled(lives, 'worker', settleMs)];
  const all = [...nginx, ...workers];
  const cached = Math.max(...nginx.flat().map((one) => one.cached));
  return [
    atMost('memory that a worker gained', leastGained(workers, 'memoryMb'), gainMb.worker, ' MB'),
    atMost('memory that a process of nginx gained', leastGained(nginx, 'memoryMb'), gainMb.nginx, ' MB'),
    atMost('sockets that a process gained', leastGained(all, 'sockets'), 200),
    atMost('other descriptors that a process gained', leastGained(all, 'files'), 10),
    // Their count follows the traffic, so the bound is judged. A reply in transit keeps one open.
    atMost('cached replies held open by one process', cached, 1.05 * maxCachedFiles),
  ];
}

/** @typedef {{ outages: Outage[], workersEnded: number, broken: string }} Disturbed `broken`: why a fault could not be made, which ends a soak */

/** @param {Rig} rig @param {{ untilMs: number, everyMinutes: number }} options */
async function disturb(rig, { untilMs, everyMinutes }) {
  /** @type {Disturbed} */
  const disturbed = { outages: [], workersEnded: 0, broken: '' };
  for (const { name, seconds = 0, actionOf, endedProcesses = 0 } of randomDisturbances()) {
    if (epochMs() + everyMinutes * 60_000 >= untilMs) break;
    await sleep(everyMinutes * 60_000);
    rig.say(`soak: ${name}`);
    const fromMs = epochMs();
    try {
      const { inject, heal } = actionOf(rig);
      await inject?.();
      await sleep(seconds * 1000);
      await heal?.();
    } catch (error) {
      return { ...disturbed, broken: `${name}: ${/** @type {Error} */ (error).message}` };
    }
    disturbed.outages.push({ fromMs, toMs: epochMs() + recoveryMs });
    disturbed.workersEnded += endedProcesses;
  }
  await sleep(Math.max(0, untilMs - epochMs()));
  return disturbed;
}

module.exports = { disturb, leastGained, randomDisturbances, settled, soak, workersSeen };
