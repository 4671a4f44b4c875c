'use strict';
const net = require('node:net');
const path = require('node:path');

const { isAlive, openFilesLimit } = require('../../../scripts/lib/proc');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { limitOpenFiles, nextDescriptor, runInside } = require('../testbed/processes');
const { withLongLists } = require('../testbed/rig');
const { rig, timeUntil, wait, workersMayEnd } = require('./chain');
const { answered, inTime, judge, unnoticed } = require('./limits');
const { freezes, underLoad } = require('./traffic');

/** @import { Action } from './traffic' */

const hourMs = 3_600_000;

/** @param {number} index @param {string} expression */
const inWorker = (index, expression) =>
  runInside(rig.pidOf(index), path.join(rig.state.logs, `worker-${rig.workerPorts[index]}.log`), expression);

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

/** @param {number} port @returns {Promise<boolean>} whether a new connection brings a reply within a second */
const answersNewConnection = (port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('data', () => resolve(true)).once('data', () => socket.destroy());
    socket.on('error', () => {}).on('close', () => resolve(false)); // unless it was resolved before
  });

const reliefMs = 5000;

test('N8 every request is answered while one worker gets no further descriptor', async () => {
  const pid = rig.pidOf(0);
  const usual = openFilesLimit(pid);
  let hadOne = true;
  const { all, observed, healedMs } = await underLoad({
    inject: async () => {
      await limitOpenFiles(pid, nextDescriptor(pid));
      hadOne = await answersNewConnection(rig.workerPorts[0]);
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
