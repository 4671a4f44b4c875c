'use strict';
const net = require('node:net');
const path = require('node:path');
const { isAlive, openFilesLimit } = require('../../../../scripts/lib/proc');
const { waitUntil } = require('../../../../scripts/lib/wait-until');
const { limitOpenFiles, nextDescriptor, runInside } = require('../../testbed/processes');
const { withLongLists } = require('../../testbed/rig');
const { allReady } = require('../../testbed/worker');
const { freezes } = require('../actions');
const { allAnswered, atMost, holds } = require('../checks');
const { timeUntil, underLoad, unnoticed, wait } = require('../scenario');

/** @import { Rig } from '../../testbed/rig' */
/** @import { Action } from '../scenario' */

const endTimeoutMs = 40_000;
const hourMs = 3_600_000;

/** @param {Rig} rig @param {number} index @param {string} expression */
const inWorker = (rig, index, expression) =>
  runInside(rig.pidOf(index), path.join(rig.state.logs, `worker-${rig.workerPorts[index]}.log`), expression);

/** A worker ends; a new one must replace it. @param {Rig} rig @param {() => unknown} inject */
async function endsAndReturns(rig, inject) {
  const before = rig.pidOf(0);
  const isReplaced = async () =>
    rig.pidOf(0) > 0 && rig.pidOf(0) !== before && (await allReady(rig.adminPorts.slice(0, 1)));
  const back = waitUntil(() => !isAlive(before), endTimeoutMs).then(() => timeUntil(isReplaced, endTimeoutMs));
  const { all } = await underLoad(rig, { inject, seconds: 3, order: withLongLists });
  return [...allAnswered(all), atMost('until a new worker is ready', (await back) / 1000, 10, ' s')];
}

/** @param {Rig} rig @param {Action} action */
async function stuck(rig, action) {
  const { all, observed, injectedMs, healedMs } = await underLoad(rig, action);
  const slow = observed.slowerThan(300, injectedMs, healedMs);
  return [
    ...allAnswered(all),
    atMost('requests slower than 300 ms', (5000 * slow) / (healedMs - injectedMs), 5, ' in 5 s'),
    atMost('slowest request', all.maxMs, 1200, ' ms'),
  ];
}

/** @param {Rig} rig @param {number} rounds @param {() => unknown} reload */
async function reloaded(rig, rounds, reload) {
  const inject = async () => {
    for (let round = 0; round < rounds; round += 1) await reload();
  };
  return allAnswered((await underLoad(rig, { inject, seconds: 1, order: withLongLists })).all);
}

/** @param {number} port @returns {Promise<boolean>} whether a new connection brings a reply within a second */
const answersNewConnection = (port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.write('GET /products/1 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('data', () => resolve(true)).once('data', () => socket.destroy());
    socket.on('error', () => {}).on('close', () => resolve(false)); // unless it was resolved before
  });

const throwsLater = 'setTimeout(() => { throw new Error("made by npm run faults"); }, 100)';
const blocks = 'setTimeout(() => { for (const end = Date.now() + 5000; Date.now() < end; ); }, 100)';
const leaks = 'globalThis.leak = []; setInterval(() => leak.push(Array.from({ length: 1310720 }, Math.random)), 100)';

/** @type {import('../run').Runs} */
const runs = {
  N1: (rig) => endsAndReturns(rig, () => rig.signalWorker(0, 'SIGKILL')),
  N2(rig) {
    const frozen = freezes((signal) => rig.signalWorker(0, signal));
    return stuck(rig, frozen);
  },

  N3: (rig) => endsAndReturns(rig, () => inWorker(rig, 0, throwsLater)),
  N4a: (rig) => stuck(rig, { inject: () => inWorker(rig, 0, blocks), seconds: 6 }),
  N4b: (rig) => endsAndReturns(rig, () => inWorker(rig, 0, leaks)),
  N5: (rig) => reloaded(rig, rig.scale < 1 ? 1 : 10, rig.reloadWorkers),
  N7(rig) {
    const reload = () => {
      rig.nginx.reload();
      return wait(rig, 1);
    };
    return reloaded(rig, 10, reload);
  },

  async N8(rig) {
    const pid = rig.pidOf(0);
    const usual = openFilesLimit(pid);
    let answered = true;
    const { all, observed, healedMs } = await underLoad(rig, {
      inject: async () => {
        await limitOpenFiles(pid, nextDescriptor(pid));
        answered = await answersNewConnection(rig.workerPorts[0]);
      },
      heal: () => limitOpenFiles(pid, usual),
      order: { rate: 3 * rig.rate },
    });
    return [
      ...allAnswered(all),
      holds('a new connection to that worker finds no descriptor', !answered),
      atMost('last error after the relief', observed.lastErrorAfterMs(healedMs), 5000, ' ms'),
    ];
  },

  async N11(rig) {
    const step = (/** @type {number} */ hours) => {
      const code = `globalThis.trueNow ??= Date.now; Date.now = () => trueNow() + ${hours * hourMs}`;
      return Promise.all(rig.workerPorts.map((_, index) => inWorker(rig, index, code)));
    };
    /** By the Date header of a worker. */
    const hoursOff = async () => {
      const { headers } = await fetch(`http://${rig.upstreams[0]}/products/1`, { method: 'HEAD' });
      return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / hourMs);
    };
    /** @type {number[]} */
    const steps = [];
    const course = await underLoad(rig, {
      inject: async () => {
        for (const hours of [1, -1]) {
          await step(hours);
          await wait(rig, 4);
          steps.push(await hoursOff());
        }
      },
      heal: () => step(0),
      seconds: 0,
    });
    return [
      ...unnoticed(course),
      holds('hours by which Date headers were off: 1, −1', `${steps}` === '1,-1', `${steps}`),
    ];
  },
};

module.exports = { runs };
