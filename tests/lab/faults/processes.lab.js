'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');

const { get } = require('../../../scripts/lib/probe');
const { isAlive, openFilesLimit } = require('../../../scripts/lib/proc');
const { signalRunning } = require('../../../scripts/lib/process');
const { runOrThrow } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { withLongLists } = require('../testbed/rig');
const { answered, freezes, inTime, judge, rig, timeUntil, underLoad, unnoticed, wait } = require('./chain');
const { workersMayEnd } = require('./chain');

/** @import { Action } from './chain' */

const hourMs = 3_600_000;

const inspectorTimeoutMs = 5000;

/**
 * Runs code in a running worker, so that it blocks, leaks or throws without a hook in its own code. SIGUSR1 opens Node's
 * inspector on loopback; it is closed again at once. Protocol: https://chromedevtools.github.io/devtools-protocol/v8/Runtime/
 * @param {number} index of the worker @param {string} expression @returns {Promise<any>} its value, if that is no object
 */
async function inWorker(index, expression) {
  const [pid, log] = [rig.pidOf(index), path.join(rig.state.logs, `worker-${rig.workerPorts[index]}.log`)];
  const before = fs.statSync(log).size;
  signalRunning('the worker', pid, 'SIGUSR1');
  const inspector = () => /ws:\/\/\S+/.exec(fs.readFileSync(log, 'utf8').slice(before))?.[0];
  if (!(await waitUntil(() => Boolean(inspector()), inspectorTimeoutMs)))
    throw new Error(`worker ${pid} opened no inspector: see ${log}`);
  const socket = new WebSocket(/** @type {string} */ (inspector()));
  await once(socket, 'open');
  const replied = once(socket, 'message');
  // After the reply, which closing the inspector would suppress.
  const closing = 'setTimeout(() => process.getBuiltinModule("node:inspector").close(), 50)';
  const params = { expression: `${closing}; ${expression}` };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  const [{ data }] = await replied;
  socket.close();
  return JSON.parse(data).result.result.value;
}

const throwsLater = 'setTimeout(() => { throw new Error("made by npm run faults"); }, 100)';
const blocks = 'setTimeout(() => { for (const end = Date.now() + 5000; Date.now() < end; ); }, 100)';
const leaks = 'globalThis.leak = []; setInterval(() => leak.push(Array.from({ length: 1310720 }, Math.random)), 100)';

describe('every request is answered, and a new worker is ready within 10 s, when', () => {
  const endTimeoutMs = 40_000;
  const replacedMs = 10_000;

  test.each([
    ['N1 one of two workers is killed', () => rig.signalWorker(0, 'SIGKILL')],
    ['N3 a timer of one worker throws, so that it drains and ends', () => inWorker(0, throwsLater)],
    ['N4b one worker keeps 100 MB more each second, up to its heap limit', () => inWorker(0, leaks)],
  ])('%s', async (_, inject) => {
    workersMayEnd();
    const before = rig.pidOf(0);
    const isReplaced = async () => rig.pidOf(0) > 0 && rig.pidOf(0) !== before && (await rig.isReady(0));
    const back = waitUntil(() => !isAlive(before), endTimeoutMs).then(() => timeUntil(isReplaced, endTimeoutMs));
    const { all } = await underLoad({ inject, seconds: 3, order: withLongLists });
    judge({ ...answered(all), backMs: [await back, inTime(replacedMs)] });
  });
});

describe('every request is answered, and at most five in 5 s are slow, while', () => {
  const slowMs = 300;
  const slowIn5s = 5;
  const slowestMs = 1200;

  test.each(
    /** @type {[string, Action][]} */ ([
      ['N2 one of two workers is frozen for 10 s', freezes((signal) => rig.signalWorker(0, signal))],
      ['N4a the event loop of one worker is busy for 5 s', { inject: () => inWorker(0, blocks), seconds: 6 }],
    ]),
  )('%s', async (_, action) => {
    const { all, observed, injectedMs, healedMs } = await underLoad(action);
    const slow = (5000 * observed.slowerThan(slowMs, injectedMs, healedMs)) / (healedMs - injectedMs);
    judge({ ...answered(all), slow: [slow, inTime(slowIn5s)], slowestMs: [all.maxMs, inTime(slowestMs)] });
  });
});

describe('every request is answered during', () => {
  /** @param {number} rounds @param {() => unknown} reload */
  async function expectAnswered(rounds, reload) {
    const inject = async () => {
      for (let round = 0; round < rounds; round += 1) await reload();
    };
    judge(answered((await underLoad({ inject, seconds: 1, order: withLongLists })).all));
  }

  test('N5 ten reloads of the workers by pm2', () => {
    workersMayEnd();
    return expectAnswered(rig.short ? 1 : 10, rig.reloadWorkers);
  });

  test('N7 ten reloads of nginx', () =>
    expectAnswered(10, () => {
      rig.nginx.reload();
      return wait(1);
    }));
});

/**
 * The limit of descriptors compares numbers, not how many are open: below this one there is no room.
 * @param {number} pid @returns {number} the number that its next descriptor will have
 */
function nextDescriptor(pid) {
  const taken = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  while (taken.has(next)) next += 1;
  return next;
}

/** Changes the soft limit only, so that it can be raised again. @param {number} pid @param {number} limit */
const limitOpenFiles = (pid, limit) => runOrThrow(['prlimit', '--pid', String(pid), `--nofile=${limit}:`]);

const reliefMs = 5000;

test('N8 every request is answered while one worker gets no further descriptor', async () => {
  const pid = rig.pidOf(0);
  const usual = openFilesLimit(pid);
  let hadOne = true;
  const { all, observed, healedMs } = await underLoad({
    inject: async () => {
      await limitOpenFiles(pid, nextDescriptor(pid));
      hadOne = (await get(`http://127.0.0.1:${rig.workerPorts[0]}/products/1`)).status > 0;
    },
    heal: () => limitOpenFiles(pid, usual),
    order: { rate: 3 * rig.rate },
  });
  const lastErrorMs = observed.lastErrorAfterMs(healedMs);
  judge({ ...answered(all), hadOne: [hadOne, false], lastErrorMs: [lastErrorMs, inTime(reliefMs)] });
});

/**
 * For our code and its packages, not for Node itself, nginx, Redis or PostgreSQL.
 * @param {number} hours @returns {Promise<number[]>} hours by which the clock of each worker is off then
 */
async function stepClocks(hours) {
  const code = `globalThis.trueNow ??= Date.now; Date.now = () => trueNow() + ${hours * hourMs}; Date.now()`;
  const times = await Promise.all(rig.workerPorts.map((_, index) => inWorker(index, code)));
  return times.map((time) => Math.round((time - Date.now()) / hourMs));
}

test('N11 no client notices that the clock of the workers jumps by an hour and back by two', async () => {
  /** @type {number[][]} */
  const steps = [];
  const course = await underLoad({
    inject: async () => {
      for (const hours of [1, -1]) {
        steps.push(await stepClocks(hours));
        await wait(4);
      }
    },
    heal: () => stepClocks(0),
    seconds: 0,
  });
  judge({ ...unnoticed(course), steps: [steps, [1, -1].map((hours) => rig.workerPorts.map(() => hours))] });
});
