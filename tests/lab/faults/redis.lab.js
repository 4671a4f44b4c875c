'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { Redis } = require('ioredis');

const { withLongLists } = require('../testbed/rig');
const { rig, scale, timeUntil, wait, workersMayEnd } = require('./chain');
const { answered, atLeast, atMost, inTime, judge, unnoticed } = require('./limits');
const { misbehaves, redis, underLoad } = require('./traffic');

/** @import { Action } from './traffic' */

/**
 * @template T
 * @param {(client: Redis) => Promise<T>} work past the proxy @returns {Promise<T>}
 */
async function withRedis(work) {
  const client = new Redis({ path: rig.servers.valkey.socket, lazyConnect: true });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** @param {Record<string, string>} settings */
const configure = (settings) => withRedis((client) => client.call('CONFIG', 'SET', ...Object.entries(settings).flat()));
const usualMemory = { maxmemory: '256mb', 'maxmemory-policy': 'allkeys-lru' };

/** @param {Record<string, string>} settings @returns {Action} */
const isFull = (settings) => ({ inject: () => configure(settings), heal: () => configure(usualMemory) });

/** @param {'yes' | 'no'} servesStale @returns {Action} */
const isReplica = (servesStale) => ({
  inject: () =>
    withRedis(async (client) => {
      await client.config('SET', 'replica-serve-stale-data', servesStale);
      await client.replicaof('127.0.0.1', 1);
    }),
  heal: () => withRedis((client) => client.replicaof('NO', 'ONE')),
  seconds: 5,
});

/** @type {Action} */
const isFlushed = {
  async inject() {
    for (let round = 0; round < 5; round += 1) {
      await withRedis((client) => client.flushall()); // everything must come from PostgreSQL again
      await wait(1);
    }
  },
  seconds: 3,
};

const cutsReplies = misbehaves(rig.proxies.redis, { cutAfterBytes: 500 });
const slicesReplies = misbehaves(rig.proxies.redis, { sliceBytes: 100 });

describe('no client notices that', () => {
  test.each([
    ['R2 Redis is killed under load and starts again 10 s later', redis.killed],
    ['R5a each connection to Redis ends after 500 bytes of replies', cutsReplies],
    ['R5b replies of Redis arrive in pieces of 100 bytes', slicesReplies],
    ['R7 Redis has 10 MB and evicts', isFull({ ...usualMemory, maxmemory: '10mb' })],
    ['R7 Redis has 1 MB and refuses every SET', isFull({ maxmemory: '1mb', 'maxmemory-policy': 'noeviction' })],
    ['R8 Redis is flushed five times in a row', isFlushed],
    ['R10 Redis has become a replica that may not write', isReplica('yes')],
    ['R10 Redis has become a replica without its primary', isReplica('no')],
  ])('%s', async (_, action) => {
    judge(unnoticed(await underLoad({ ...action, order: withLongLists })));
  });
});

describe('workers go past Redis within a second, and no client notices that', () => {
  const bypassMs = 1000;
  const slowestRiseMs = 100;

  test.each([
    ['R3 Redis is frozen for 10 s', redis.frozen],
    ['R4 Redis delays each packet by 200 ms ± 100 ms for 10 s', redis.slow],
  ])('%s', async (_, { inject, heal }) => {
    let openMs = Infinity;
    const course = await underLoad({
      inject: async () => {
        await inject?.();
        openMs = await timeUntil(rig.goPastRedis, 5000);
      },
      heal,
      order: withLongLists,
    });
    judge({
      ...unnoticed(course),
      openMs: [openMs, inTime(bypassMs)],
      slowestRiseMs: [course.settled.maxMs - course.before.maxMs, inTime(slowestRiseMs)],
    });
  });
});

const reads = () => Promise.all(['l2', 'database'].map((tier) => rig.counter(`catalog_reads_total{tier="${tier}"}`)));

/** A share of the reads that L1 cannot answer, in the next 2 s. */
async function shareOfRedis() {
  const start = await reads();
  await wait(2);
  const [l2, database] = (await reads()).map((count, at) => count - start[at]);
  return l2 / (l2 + database);
}

/** From the return of Redis until its share of reads is nearly as before. */
const hitsAgainMs = 60_000;
const attemptsPerSecond = 1;

test('R9 Redis is used again within 60 s when it returns after 20 s', async () => {
  const proxy = rig.proxies.redis;
  const load = await rig.startLoad();
  await wait(4);
  const usualShare = await shareOfRedis();
  const before = proxy.accepted;
  proxy.refuse();
  const sinceMs = performance.now();
  await wait(20);
  const attempts = proxy.accepted - before;
  const perSecond = attempts / ((performance.now() - sinceMs) / 1000) / rig.workerPorts.length;
  proxy.heal();
  await timeUntil(async () => (await shareOfRedis()) >= 0.9 * usualShare, hitsAgainMs);
  judge({
    ...answered((await load.stop()).all()),
    usualShare: [usualShare, atLeast(0.01)],
    attempts: [attempts, atLeast(1)],
    perSecond: [perSecond, atMost(attemptsPerSecond)],
  });
});

const hugeBytes = 50_000_000;
const pauseEvery = 5;

/**
 * Redis may hold these instead of what a worker wrote.
 * @type {((value: Buffer, other: Buffer) => Buffer | string)[]}
 */
const corruptions = [
  () => 'not json',
  (value) => value.subarray(0, value.length / 2),
  (value) => value.subarray(0, 3),
  (_, other) => other, // whole and correct, of another product
  (value) => Buffer.from(value).fill('x', Math.max(0, value.length - 4)),
  () => '{"__proto__":{"polluted":true}}',
  () => '',
];

/** Corrupts every value, again and again. @returns {() => Promise<void>} how to stop it */
function startCorrupting() {
  let stopping = false;
  let turn = 0;
  const done = withRedis(async (client) => {
    const keysNow = () => client.keys('catalog:*/*/*');
    while (!stopping) {
      const keys = await keysNow();
      /** @type {Buffer} */
      let other = Buffer.from('nothing yet');
      for (const key of keys) {
        if (stopping) break;
        const value = await client.getrangeBuffer(key, 0, 100_000).catch(() => null);
        if (!value?.length) continue;
        if (turn % pauseEvery === 0) await sleep(1); // the fault is the values, not a flood of commands
        const corruption = corruptions[turn++ % (corruptions.length + 1)];
        if (corruption) await client.set(key, corruption(value, other));
        else await client.multi().del(key).lpush(key, 'a list').exec();
        other = value;
      }
      if (keys.length > 0) await client.set(keys[0], Buffer.alloc(hugeBytes));
    }
    await client.unlink('no such key', ...(await keysNow()));
  });
  done.catch(() => {}); // the stop below rejects with it
  return async () => {
    stopping = true;
    await done;
  };
}

test('R6 no client notices that all values of Redis are corrupted again and again', async () => {
  workersMayEnd();
  await rig.reloadWorkers(); // what L1 has is not read from Redis
  const pids = rig.workerPids();
  const before = await rig.counter('catalog_poisoned_total');
  let stop = async () => {};
  const inject = () => void (stop = startCorrupting());
  const course = await underLoad({ inject, heal: () => stop(), seconds: 15 });
  const share = (scale * rig.rate) / 1000; // the limits hold for 15 s of 1,000 requests a second
  judge({
    ...unnoticed(course),
    askedMeanwhile: [course.settled.asked, atLeast(Math.ceil(5000 * share))],
    deleted: [(await rig.counter('catalog_poisoned_total')) - before, atLeast(Math.ceil(500 * share))],
    pids: [rig.workerPids(), pids],
  });
});
