'use strict';
const { atLeast, atMost, exactly } = require('../checks');
const { kinds } = require('../rig');
const { underLoad, wait } = require('../scenario');
const { counterOf } = require('../worker-probe');
const { hidden, unresponsive, withRedis } = require('./redis');

/** @typedef {import('../rig').Rig} Rig */

const stampedePaths = 100;
/** The least L1, and patience: a read that gives Redis up asks PostgreSQL for another reason than the flush. */
const readsFromRedis = { L1_MAX_BYTES: '65536', REDIS_COMMAND_TIMEOUT_MS: '5000', REDIS_SOCKET_TIMEOUT_MS: '10000' };

/** @param {Rig} rig @param {Partial<import('../proxy').Misbehaviour>} misbehaviour */
const throughProxy = (rig, misbehaviour) =>
  hidden(rig, {
    inject: () => rig.proxies.redis.set(misbehaviour),
    heal: () => rig.proxies.redis.heal(),
  });

/** @param {Rig} rig */
const slow = (rig) =>
  unresponsive(rig, {
    inject: () => rig.proxies.redis.set({ delayMs: 200, jitterMs: 100 }),
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

const flushes = 5;

/** Each time everything has to come from PostgreSQL again. @param {Rig} rig */
async function flush(rig) {
  for (let round = 0; round < flushes; round += 1) {
    await withRedis(rig, (redis) => redis.flushall());
    await wait(rig, 1);
  }
}

/** @param {Rig} rig */
async function flushed(rig) {
  const unnoticed = await hidden(rig, { inject: () => flush(rig), heal: () => {}, seconds: 3 });
  return [...unnoticed, ...(await stampeded(rig))];
}

/** Few paths, asked for again and again: after each flush one query for each path is enough. @param {Rig} rig */
async function stampeded(rig) {
  const worker = await rig.startStandaloneWorker(readsFromRedis);
  try {
    const count = async (/** @type {string} */ name) => counterOf([worker.port + 1], name);
    const counts = async () => {
      const each = ['product', 'styles', 'related'].map((name) =>
        count(`catalog_query_seconds_count{query="${name}"}`),
      );
      const queries = (await Promise.all(each)).reduce((sum, one) => sum + one);
      return { queries, reads: await count('catalog_reads_total{tier="l2"}') };
    };
    const paths = rig.paths[kinds.cold].slice(0, stampedePaths);
    let [before, after] = [
      { queries: 0, reads: 0 },
      { queries: 0, reads: 0 },
    ];
    const { all } = await underLoad(rig, {
      inject: async () => {
        before = await counts();
        await flush(rig);
        after = await counts();
      },
      heal: () => {},
      seconds: 0,
      order: { target: { host: '127.0.0.1', port: worker.port }, paths: [paths], shares: [1] },
    });
    const [asked, reads] = [after.queries - before.queries, after.reads - before.reads];
    return [
      exactly(`stampede: requests of ${all.asked} not answered 200`, all.asked - all.ok),
      atLeast('stampede: reads out of Redis meanwhile', reads, paths.length),
      atLeast('stampede: queries', asked, 1),
      atMost(
        `stampede: queries for ${paths.length} paths, each flushed ${flushes} times`,
        asked,
        paths.length * flushes,
      ),
    ];
  } finally {
    await worker.stop();
  }
}

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
    run: slow,
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
