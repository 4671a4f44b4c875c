'use strict';
const path = require('node:path');

const { isAlive } = require('../../lib/proc');
const { waitUntil } = require('../../lib/wait-until');
const { atMost, exactly, holds } = require('../checks');
const { runInside } = require('../inspector');
const { withLongLists } = require('../rig');
const { timeUntil, underLoad, unnoticed, wait, withoutExit } = require('../scenario');
const { allReady } = require('../worker-probe');

/** @typedef {import('../rig').Rig} Rig */

const endTimeoutMs = 40_000;

/** @param {Rig} rig @param {number} index @param {string} expression */
const inWorker = (rig, index, expression) =>
  runInside(rig.pidOf(index), path.join(rig.state.logs, `worker-${rig.workerPorts[index]}.log`), expression);

/** @param {import('../scenario').Course} course */
const nothingLost = ({ all }) => [
  exactly(`requests of ${all.asked} not answered 200`, all.asked - all.ok),
  exactly('wrong bodies', all.wrongBodies),
];

/** A worker ends; its successor must come. @param {Rig} rig @param {() => unknown} end */
async function endsAndReturns(rig, end) {
  const before = rig.pidOf(0);
  const inItsPlace = async () => rig.pidOf(0) > 0 && rig.pidOf(0) !== before && (await isReady());
  const isReady = () => allReady(rig.adminPorts.slice(0, 1));
  const back = waitUntil(() => !isAlive(before), endTimeoutMs).then(() => timeUntil(inItsPlace, endTimeoutMs));
  const course = await underLoad(rig, { inject: end, heal: () => {}, seconds: 3, order: withLongLists });
  return [...nothingLost(course), atMost('a new worker in its place, ready', (await back) / 1000, 10, ' s')];
}

/** @param {Rig} rig */
const killed = (rig) => endsAndReturns(rig, () => rig.signalWorker(0, 'SIGKILL'));

/** @param {Rig} rig */
const throwing = (rig) =>
  endsAndReturns(rig, () => inWorker(rig, 0, 'setTimeout(() => { throw new Error("made by npm run faults"); }, 100)'));

/** @param {Rig} rig @param {{ inject: () => unknown, heal: () => unknown, seconds: number }} fault */
const stuck = (rig, fault) =>
  withoutExit(rig, async () => {
    const course = await underLoad(rig, fault);
    const { observed, injectedMs, healedMs } = course;
    const slow = observed.slowerThan(300, injectedMs, healedMs);
    const perFiveSeconds = (5000 * slow) / (healedMs - injectedMs);
    return [
      ...nothingLost(course),
      atMost('requests slower than 300 ms', perFiveSeconds, 5, ' in 5 s'),
      atMost('slowest request', course.all.maxMs, 1200, ' ms'),
    ];
  });

/** @param {Rig} rig */
const frozen = (rig) =>
  stuck(rig, {
    inject: () => rig.signalWorker(0, 'SIGSTOP'),
    heal: () => rig.signalWorker(0, 'SIGCONT'),
    seconds: 10,
  });

/** @param {Rig} rig */
const blocked = (rig) =>
  stuck(rig, {
    inject: () =>
      inWorker(rig, 0, 'setTimeout(() => { for (const end = Date.now() + 5000; Date.now() < end; ); }, 100)'),
    heal: () => {},
    seconds: 6,
  });

/** @param {Rig} rig */
const leaking = (rig) =>
  endsAndReturns(rig, () =>
    inWorker(
      rig,
      0,
      'globalThis.leak = []; setInterval(() => leak.push(Array.from({ length: 1310720 }, Math.random)), 100)',
    ),
  );

/** @param {Rig} rig */
const reloaded = (rig) =>
  underLoad(rig, {
    inject: async () => {
      for (let round = 0; round < (rig.scale < 1 ? 1 : 10); round += 1) await rig.reloadWorkers();
    },
    heal: () => {},
    seconds: 0,
    order: withLongLists,
  }).then(nothingLost);

/** @param {Rig} rig @returns {Promise<number>} by which the clock of a worker is before ours, by its Date header */
async function stepOf(rig) {
  const reply = await fetch(`http://127.0.0.1:${rig.workerPorts[0]}/products/1`);
  await reply.arrayBuffer();
  return Math.round((Date.parse(reply.headers.get('date') ?? '') - Date.now()) / 3_600_000);
}

/** @param {Rig} rig */
async function clockSteps(rig) {
  const step = (/** @type {number} */ hours) =>
    Promise.all(
      rig.workerPorts.map((_, index) =>
        inWorker(rig, index, `globalThis.trueNow ??= Date.now; Date.now = () => trueNow() + ${hours * 3_600_000}`),
      ),
    );
  /** @type {number[]} */
  const steps = [];
  return withoutExit(rig, async () => {
    const course = await underLoad(rig, {
      inject: async () => {
        for (const hours of [1, -1]) {
          await step(hours);
          await wait(rig, 4);
          steps.push(await stepOf(rig));
        }
      },
      heal: () => step(0),
      seconds: 0,
    });
    return [
      ...unnoticed(course),
      holds('hours by which Date headers were off: 1, −1', `${steps}` === '1,-1', `${steps}`),
    ];
  });
}

/** @type {import('../run').Fault[]} */
const workerFaults = [
  {
    id: 'N1',
    title: 'Worker killed',
    done: 'kill -9 of one of two workers under load',
    run: killed,
  },
  {
    id: 'N2',
    title: 'Worker frozen',
    done: 'kill -STOP of one of two workers for 10 s',
    run: frozen,
  },
  {
    id: 'N3b',
    title: 'Worker throws',
    done: 'an exception in a timer of one worker: it drains and ends',
    run: throwing,
  },
  {
    id: 'N4a',
    title: 'Worker blocked',
    done: "one worker's event loop is busy for 5 s",
    run: blocked,
  },
  {
    id: 'N4b',
    title: 'Worker leaks',
    done: 'one worker keeps 100 MB more each second, to the end of its heap',
    run: leaking,
  },
  { id: 'N5', title: 'Workers reloaded', done: 'pm2 reload ten times under load', run: reloaded },
  {
    id: 'N11',
    title: 'Clock steps',
    done: 'Date.now() of the workers jumps by +1 h, then −1 h: for our code and its packages, not for nginx, Redis or PostgreSQL',
    run: clockSteps,
  },
];

module.exports = { workerFaults, nothingLost };
