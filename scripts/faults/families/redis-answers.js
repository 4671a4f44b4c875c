'use strict';
const { hidden, withRedis } = require('./redis');
const { wait } = require('../scenario');

/** @typedef {import('../rig').Rig} Rig */

/** @param {Rig} rig @param {Partial<import('../proxy').Misbehaviour>} misbehaviour */
const throughProxy = (rig, misbehaviour) =>
  hidden(rig, {
    inject: () => rig.proxies.redis.set(misbehaviour),
    heal: () => rig.proxies.redis.heal(),
  });

/** @param {Rig} rig @param {Record<string, string>} settings @param {Record<string, string>} usual */
const configured = (rig, settings, usual) =>
  hidden(rig, {
    inject: () => withRedis(rig, (redis) => redis.call('CONFIG', 'SET', ...Object.entries(settings).flat())),
    heal: () => withRedis(rig, (redis) => redis.call('CONFIG', 'SET', ...Object.entries(usual).flat())),
  });

/** @param {Rig} rig */
async function full(rig) {
  const usual = { maxmemory: '256mb', 'maxmemory-policy': 'allkeys-lru' };
  const evicting = await configured(rig, { ...usual, maxmemory: '10mb' }, usual);
  const refusing = await configured(rig, { maxmemory: '1mb', 'maxmemory-policy': 'noeviction' }, usual);
  return [...evicting, ...refusing.map((check) => ({ ...check, what: `noeviction: ${check.what}` }))];
}

/** Five times in a row: each time everything has to come from PostgreSQL again. @param {Rig} rig */
const flushed = (rig) =>
  hidden(rig, {
    inject: async () => {
      for (let round = 0; round < 5; round += 1) {
        await withRedis(rig, (redis) => redis.flushall());
        await wait(rig, 1);
      }
    },
    heal: () => {},
    seconds: 3,
  });

/** Redis answers, but as a replica that may not write, has no data, or has lost its master. @param {Rig} rig */
async function failingOver(rig) {
  const become = (/** @type {string} */ serveStale) => async () =>
    withRedis(rig, async (redis) => {
      await redis.config('SET', 'replica-serve-stale-data', serveStale);
      await redis.replicaof('127.0.0.1', 1);
    });
  const heal = () => withRedis(rig, (redis) => redis.replicaof('NO', 'ONE'));
  const readOnly = await hidden(rig, { inject: become('yes'), heal, seconds: 5 });
  const masterDown = await hidden(rig, { inject: become('no'), heal, seconds: 5 });
  return [...readOnly, ...masterDown.map((check) => ({ ...check, what: `MASTERDOWN: ${check.what}` }))];
}

/** @type {import('../run').Fault[]} */
const redisAnswerFaults = [
  {
    id: 'R4',
    title: 'Redis slow',
    done: '200 ms ± 100 ms on each packet for 10 s',
    run: (rig) => throughProxy(rig, { delayMs: 200, jitterMs: 100 }),
  },
  {
    id: 'R5a',
    title: 'Redis replies cut',
    done: 'each connection ends after 500 bytes of replies',
    run: (rig) => throughProxy(rig, { cutAfterBytes: 500 }),
  },
  {
    id: 'R5b',
    title: 'Redis replies in slices',
    done: 'replies arrive in pieces of 100 bytes',
    run: (rig) => throughProxy(rig, { sliceBytes: 100 }),
  },
  {
    id: 'R7',
    title: 'Redis full',
    done: 'maxmemory 10 MB and LRU; then 1 MB and noeviction, so that each SET fails',
    run: full,
  },
  {
    id: 'R8',
    title: 'Redis flushed',
    done: 'FLUSHALL five times in a row under load',
    run: flushed,
  },
  {
    id: 'R10',
    title: 'Redis fails over',
    done: 'turned into a replica: READONLY, then MASTERDOWN',
    run: failingOver,
  },
];

module.exports = { redisAnswerFaults };
