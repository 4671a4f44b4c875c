'use strict';
const { Redis } = require('ioredis');

const { cachesDown } = require('../../testbed/worker');
const { withLongLists } = require('../../testbed/rig');
const { freezesRedis, killsRedis, misbehaves, slowsRedis } = require('../actions');
const { allAnswered, atLeast, atMost, prefixed } = require('../checks');
const { hidden, timeUntil, underLoad, unnoticed, wait } = require('../scenario');
/** @import { Rig } from '../../testbed/rig' */
/** @import { Action } from '../scenario' */

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

/** @param {Rig} rig @param {Action} action */
const hiddenFromLists = (rig, action) => hidden(rig, { ...action, order: withLongLists });

/** Redis does not answer in time: workers notice within a second and then go past it. @param {Rig} rig @param {Action} action */
async function unresponsive(rig, { inject, heal }) {
  let openMs = Infinity;
  const course = await underLoad(rig, {
    inject: async () => {
      await inject?.();
      openMs = await timeUntil(() => cachesDown(rig.adminPorts), 5000);
    },
    heal,
    order: withLongLists,
  });
  const slower = course.settled.maxMs - course.before.maxMs;
  return [
    ...unnoticed(course),
    atMost('until every worker goes past Redis', openMs, 1000, ' ms'),
    atMost('slowest request after the first second, above the one before', slower, 100, ' ms'),
  ];
}

/** @type {import('../run').Runs} */
const runs = {
  R2: (rig) => hiddenFromLists(rig, killsRedis(rig)),
  R3: (rig) => unresponsive(rig, freezesRedis(rig)),
  R4: (rig) => unresponsive(rig, slowsRedis(rig)),
  R5a: (rig) => hiddenFromLists(rig, misbehaves(rig.proxies.redis, { cutAfterBytes: 500 })),
  R5b: (rig) => hiddenFromLists(rig, misbehaves(rig.proxies.redis, { sliceBytes: 100 })),

  async R7(rig) {
    const usual = { maxmemory: '256mb', 'maxmemory-policy': 'allkeys-lru' };
    const set = (/** @type {Record<string, string>} */ settings) => () =>
      withRedis(rig, (redis) => redis.call('CONFIG', 'SET', ...Object.entries(settings).flat()));
    const limited = (/** @type {typeof usual} */ settings) =>
      hiddenFromLists(rig, { inject: set(settings), heal: set(usual) });
    const evicting = await limited({ ...usual, maxmemory: '10mb' });
    const refusing = await limited({ maxmemory: '1mb', 'maxmemory-policy': 'noeviction' });
    return [...evicting, ...prefixed('noeviction', refusing)];
  },

  async R8(rig) {
    const inject = async () => {
      for (let round = 0; round < 5; round += 1) {
        await withRedis(rig, (redis) => redis.flushall()); // everything must come from PostgreSQL again
        await wait(rig, 1);
      }
    };
    return hiddenFromLists(rig, { inject, seconds: 3 });
  },

  async R9(rig) {
    const { redis } = rig.proxies;
    const reads = () =>
      Promise.all(['l2', 'database'].map((tier) => rig.counter(`catalog_reads_total{tier="${tier}"}`)));
    const share = async () => {
      const start = await reads();
      await wait(rig, 2);
      const [l2, database] = (await reads()).map((count, at) => count - start[at]);
      return l2 / (l2 + database);
    };
    const load = await rig.startLoad();
    await wait(rig, 4);
    const usual = await share();
    const before = redis.accepted;
    redis.refuse();
    const sinceMs = performance.now();
    await wait(rig, 20);
    const attempts = redis.accepted - before;
    const perSecond = attempts / ((performance.now() - sinceMs) / 1000) / rig.workerPorts.length;
    redis.heal();
    const backMs = await timeUntil(async () => (await share()) >= 0.9 * usual, 60_000);
    return [
      ...allAnswered((await load.stop()).all()),
      atLeast('share of reads out of Redis before', usual, 0.01),
      atLeast('connection attempts while it was away', attempts, 1),
      atMost('connection attempts of a worker', perSecond, 1, ' a second'),
      atMost('share of reads out of Redis back at 90 % of before', backMs / 1000, 60, ' s'),
    ];
  },

  /** Redis answers as a replica that may not write, then as one that has lost its primary. */
  async R10(rig) {
    const demoted = (/** @type {string} */ servesStale) =>
      hiddenFromLists(rig, {
        inject: () =>
          withRedis(rig, async (redis) => {
            await redis.config('SET', 'replica-serve-stale-data', servesStale);
            await redis.replicaof('127.0.0.1', 1);
          }),
        heal: () => withRedis(rig, (redis) => redis.replicaof('NO', 'ONE')),
        seconds: 5,
      });
    return [...(await demoted('yes')), ...prefixed('MASTERDOWN', await demoted('no'))];
  },
};

module.exports = { runs, withRedis };
