'use strict';
const { Redis } = require('ioredis');

const { get } = require('../../lib/probe');
const { atLeast, atMost, exactly, holds } = require('../checks');
const { withLongLists } = require('../rig');
const { timeUntil, underLoad, unnoticed, wait, withoutExit } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */
/** @typedef {import('../run').Fault} Fault */

/**
 * @template T
 * @param {Rig} rig @param {(redis: Redis) => Promise<T>} work past the proxy @returns {Promise<T>}
 */
async function withRedis(rig, work) {
  const redis = new Redis({ path: rig.servers.valkey.socket, lazyConnect: true });
  redis.on('error', () => {});
  await redis.connect();
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** A fault that no caller may notice. @param {Rig} rig @param {Parameters<typeof underLoad>[1]} fault */
const hidden = (rig, fault) =>
  withoutExit(rig, async () => unnoticed(await underLoad(rig, { ...fault, order: withLongLists })));

/** @param {Rig} rig */
async function absentAtStart(rig) {
  const worker = await rig.startStandaloneWorker({ REDIS_URL: 'redis://127.0.0.1:1' });
  try {
    const load = await rig.startLoad({ target: { host: '127.0.0.1', port: worker.port } });
    await wait(rig, 5);
    const { asked, ok, wrongBodies } = (await load.stop()).all();
    const { cache } = JSON.parse((await get(`${worker.adminUrl}/readyz`)).body);
    return [
      exactly(`requests of ${asked} not answered 200`, asked - ok),
      exactly('wrong bodies', wrongBodies),
      holds('ready, with its cache down', (await worker.isReady()) && cache === 'down'),
      atMost('start', worker.startedMs, 5000, ' ms'),
    ];
  } finally {
    await worker.stop();
  }
}

/** @param {Rig} rig */
const killed = (rig) =>
  hidden(rig, {
    inject: () => process.kill(rig.servers.valkey.pid, 'SIGKILL'),
    heal: () => rig.servers.startValkey(),
  });

/** @param {Rig} rig @returns {Promise<boolean>} whether every worker has stopped asking Redis */
async function cachesDown(rig) {
  const replies = await Promise.all(rig.adminPorts.map((port) => get(`http://127.0.0.1:${port}/readyz`)));
  return replies.every(({ body }) => JSON.parse(body).cache === 'down');
}

/**
 * A Redis that is there and does not answer in time: noticed within a second, and nobody waits for it from then on.
 * @param {Rig} rig @param {Parameters<typeof underLoad>[1]} fault
 */
const unresponsive = (rig, { inject, heal }) =>
  withoutExit(rig, async () => {
    let openMs = Infinity;
    const course = await underLoad(rig, {
      inject: async () => {
        await inject();
        openMs = await timeUntil(() => cachesDown(rig), 5000);
      },
      heal,
      order: withLongLists,
    });
    return [
      ...unnoticed(course),
      atMost('until every worker goes past it', openMs, 1000, ' ms'),
      atMost(
        'slowest request after the first second, above the one before',
        course.settled.maxMs - course.before.maxMs,
        100,
        ' ms',
      ),
    ];
  });

/** @param {Rig} rig */
const frozen = (rig) =>
  unresponsive(rig, {
    inject: () => process.kill(rig.servers.valkey.pid, 'SIGSTOP'),
    heal: () => process.kill(rig.servers.valkey.pid, 'SIGCONT'),
  });

/** @param {Rig} rig */
async function returning(rig) {
  const share = async () => {
    const tier = async (/** @type {string} */ name) => rig.counter(`catalog_reads_total{tier="${name}"}`);
    const start = [await tier('l2'), await tier('database')];
    await wait(rig, 2);
    const [l2, database] = [(await tier('l2')) - start[0], (await tier('database')) - start[1]];
    return l2 / (l2 + database);
  };
  const load = await rig.startLoad();
  await wait(rig, 4);
  const usual = await share();
  const seconds = 20;
  const before = rig.proxies.redis.accepted;
  rig.proxies.redis.refuse();
  const sinceMs = performance.now();
  await wait(rig, seconds);
  const attempts = rig.proxies.redis.accepted - before;
  const perSecond = attempts / ((performance.now() - sinceMs) / 1000) / rig.workerPorts.length;
  rig.proxies.redis.heal();
  const backMs = await timeUntil(async () => (await share()) >= 0.9 * usual, 60_000);
  const { asked, ok, wrongBodies } = (await load.stop()).all();
  return [
    exactly(`requests of ${asked} not answered 200`, asked - ok),
    exactly('wrong bodies', wrongBodies),
    atLeast('share of reads out of Redis before', usual, 0.01),
    atLeast('connection attempts while it was away', attempts, 1),
    atMost('connection attempts of a worker', perSecond, 1, ' a second'),
    atMost('share of reads out of Redis back at 90 % of before', backMs / 1000, 60, ' s'),
  ];
}

/** @type {Fault[]} */
const redisFaults = [
  {
    id: 'R1',
    title: 'Redis absent at start',
    done: 'a worker is started with a Redis that refuses',
    run: absentAtStart,
  },
  {
    id: 'R2',
    title: 'Redis killed',
    done: 'kill -9 under load, started again 10 s later',
    run: killed,
  },
  { id: 'R3', title: 'Redis frozen', done: 'kill -STOP for 10 s under load', run: frozen },
  { id: 'R9', title: 'Redis returns', done: 'refused for 20 s, then back', run: returning },
];

module.exports = { redisFaults, withRedis, hidden, unresponsive };
