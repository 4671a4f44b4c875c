'use strict';
const { Redis } = require('ioredis');

const { signalRunning } = require('../../../scripts/lib/process');
const { withLongLists } = require('../testbed/rig');
const { freezes, judge, misbehaves, rig, underLoad, unnoticed, wait } = require('./chain');

/** @import { Action } from './chain' */

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

/** @param {NodeJS.Signals} signal */
const send = (signal) => signalRunning('Valkey', rig.servers.valkey.pid, signal);
/** @type {Action} */
const isKilled = { inject: () => send('SIGKILL'), heal: () => rig.servers.startValkey() };
const delaysPackets = misbehaves(rig.proxies.redis, { delayMs: 200, jitterMs: 100 });
const cutsReplies = misbehaves(rig.proxies.redis, { cutAfterBytes: 500 });

describe('no client notices that', () => {
  test.each([
    ['R2 Redis is killed under load and starts again 10 s later', isKilled],
    ['R3 Redis is frozen for 10 s', freezes(send)],
    ['R4 Redis delays each packet by 200 ms ± 100 ms for 10 s', delaysPackets],
    ['R5 each connection to Redis ends after 500 bytes of replies', cutsReplies],
    ['R7 Redis has 10 MB and evicts', isFull({ ...usualMemory, maxmemory: '10mb' })],
    ['R7 Redis has 1 MB and refuses every SET', isFull({ maxmemory: '1mb', 'maxmemory-policy': 'noeviction' })],
    ['R8 Redis is flushed five times in a row', isFlushed],
    ['R10 Redis has become a replica that may not write', isReplica('yes')],
    ['R10 Redis has become a replica without its primary', isReplica('no')],
  ])('%s', async (_, action) => {
    judge(unnoticed(await underLoad({ ...action, order: withLongLists })));
  });
});
