'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { maxCachedFiles } = require('../../../nginx/render');
const { shuffled } = require('../../../scripts/generate/random');
const { processTree, residentMb } = require('../../../scripts/lib/proc');
const { root } = require('../../../scripts/lib/runtime');
const { leastGained, openDescriptors } = require('../testbed/processes');
const { rig, workersMayEnd } = require('./chain');
const { atLeast, atMost, inOrder, inTime, judge } = require('./limits');
const { blackHole, epochMs, findBreakingPoint, freezes, redis, restartsPostgres } = require('./traffic');

/** @import { Action } from './traffic' */
/** @import { Sample } from '../testbed/processes' */

const sampleMs = 5000;
/** After the end of a fault, refusals still belong to it. */
const recoveryMs = 5000;
/** A new process still grows this long. */
const warmUpMs = 15 * 60_000;
/** A tenth of a worker's limit (server/README.md), and of what a process of nginx has. */
const gainMb = { worker: 15, nginx: 1.5 };
const [gainedSockets, gainedFiles] = [200, 10];
const p99Ms = 500;
const leastRequests = 1000;

/** @type {{ name: string, action: Action, endedProcesses?: number }[]} `endedProcesses`: how many end because of it */
const disturbances = [
  { name: 'Redis killed', action: { ...redis.killed, seconds: 10 } },
  { name: 'Redis frozen', action: { ...redis.frozen, seconds: 10 } },
  { name: 'Redis slow', action: { ...redis.slow, seconds: 10 } },
  { name: 'PostgreSQL restarted', action: { ...restartsPostgres('fast'), seconds: 2 } },
  { name: 'PostgreSQL in a black hole', action: { ...blackHole(rig.proxies.postgres), seconds: 10 } },
  { name: 'PostgreSQL connections cut', action: { inject: rig.proxies.postgres.cut } },
  { name: 'worker killed', action: { inject: () => rig.signalWorker(0, 'SIGKILL'), seconds: 5 }, endedProcesses: 1 },
  { name: 'worker frozen', action: { ...freezes((signal) => rig.signalWorker(1, signal)), seconds: 5 } },
  { name: 'workers reloaded', action: { inject: rig.reloadWorkers }, endedProcesses: 2 },
  { name: 'nginx reloaded', action: { inject: rig.nginx.reload } },
];

/** Endless; each of them comes before one comes again. */
function* randomDisturbances() {
  for (;;) yield* shuffled(disturbances, (bound) => crypto.randomInt(bound));
}

/** Samples of each process, by its id. @type {Map<number, { kind: string, samples: Sample[] }>} */
const lives = new Map();

/** Adds what nginx and the workers hold now. */
function sample() {
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

/** All of them as results/soak.csv, to find the cause of a rise. */
function writeSamples() {
  const rows = [...lives].flatMap(([pid, { kind, samples }]) =>
    samples.map(({ atMs, memoryMb, sockets, cached, files }) =>
      [new Date(atMs).toISOString(), kind, pid, memoryMb.toFixed(1), sockets, cached, files].join(','),
    ),
  );
  fs.mkdirSync(path.join(root, 'results'), { recursive: true });
  const lines = ['time,kind,pid,memory_mb,sockets,cached,files', ...rows];
  fs.writeFileSync(path.join(root, 'results/soak.csv'), `${lines.join('\n')}\n`);
}

/** @param {number} untilMs */
async function disturb(untilMs) {
  const everyMs = rig.every * 60_000;
  /** @type {{ fromMs: number, toMs: number }[]} */
  const outages = [];
  let workersEnded = 0;
  for (const { name, action, endedProcesses = 0 } of randomDisturbances()) {
    if (epochMs() + everyMs >= untilMs) break;
    await sleep(everyMs);
    rig.say(`soak: ${name}`);
    const fromMs = epochMs();
    await action.inject?.();
    await sleep((action.seconds ?? 0) * 1000);
    await action.heal?.();
    outages.push({ fromMs, toMs: epochMs() + recoveryMs });
    workersEnded += endedProcesses;
  }
  await sleep(Math.max(0, untilMs - epochMs()));
  return { outages, workersEnded };
}

/** @param {number} settleMs the first time of a process, which is left out */
function expectNoGrowth(settleMs) {
  const settled = (/** @type {string} */ kind) =>
    [...lives.values()]
      .filter((life) => life.kind === kind)
      .map(({ samples }) => samples.filter(({ atMs }) => atMs >= samples[0].atMs + settleMs));
  const [nginx, workers] = [settled('nginx'), settled('worker')];
  judge({
    workerMb: [leastGained(workers, 'memoryMb'), atMost(gainMb.worker)],
    nginxMb: [leastGained(nginx, 'memoryMb'), atMost(gainMb.nginx)],
    sockets: [leastGained([...nginx, ...workers], 'sockets'), atMost(gainedSockets)],
    files: [leastGained([...nginx, ...workers], 'files'), atMost(gainedFiles)],
    // A reply in transit keeps one open.
    cached: [Math.max(...nginx.flat().map((one) => one.cached)), atMost(1.05 * maxCachedFiles)],
  });
}

const durationMs = rig.minutes * 60_000;

test(
  'soak hours at 60 % of the breaking point, with random faults, lose and keep nothing',
  async () => {
    workersMayEnd();
    const { breakingRate } = await findBreakingPoint(4, { digests: {} });
    const rate = Math.round(breakingRate * 0.6);
    rig.say(`soak: ${rig.minutes} minutes at ${rate} requests a second, 60 % of the breaking point`);
    const load = await rig.startLoad({ rate });
    const sampling = setInterval(sample, sampleMs);
    const { outages, workersEnded } = await disturb(epochMs() + durationMs).finally(async () => {
      clearInterval(sampling);
      writeSamples();
      await load.stop();
    });
    const observed = await load.stop();
    const all = observed.all();
    const workers = [...lives.values()].filter(({ kind }) => kind === 'worker').length;
    const explained = outages.reduce((sum, { fromMs, toMs }) => sum + observed.shedDuring(fromMs, toMs), 0);
    judge({
      ...inOrder(all),
      asked: [all.asked, atLeast(leastRequests)],
      unexplained503: [all.shed - explained, 0],
      p99Ms: [all.p99Ms, inTime(p99Ms)],
      endedWithoutFault: [workers - rig.workerPorts.length - workersEnded, 0],
    });
    expectNoGrowth(Math.min(warmUpMs, durationMs / 4));
  },
  durationMs + 30 * 60_000,
);
