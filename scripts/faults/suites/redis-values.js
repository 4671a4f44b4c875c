'use strict';
const { once } = require('node:events');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');

const { atLeast } = require('../checks');
const { underLoad, unnoticed, withoutExit } = require('../scenario');
const { withRedis } = require('./redis');

/** @typedef {import('../../testbed/rig').Rig} Rig */

const hugeBytes = 50_000_000;
const pauseEvery = 5;

/**
 * What Redis may hold instead of what a worker wrote.
 * @type {((redis: import('ioredis').Redis, key: string, value: Buffer, other: Buffer) => Promise<unknown>)[]}
 */
const corruptions = [
  (redis, key) => redis.set(key, 'not json'),
  (redis, key, value) => redis.set(key, value.subarray(0, value.length / 2)),
  (redis, key, value) => redis.set(key, value.subarray(0, 3)),
  (redis, key, _value, other) => redis.set(key, other), // whole and correct, of another product
  (redis, key, value) => redis.set(key, Buffer.from(value).fill('x', Math.max(0, value.length - 4))),
  (redis, key) => redis.multi().del(key).lpush(key, 'a list').exec(),
  (redis, key) => redis.set(key, '{"__proto__":{"polluted":true}}'),
  (redis, key) => redis.set(key, ''),
];

/** Corrupts every value, again and again, until it is stopped. @param {Rig} rig */
function startCorrupting(rig) {
  let stopping = false;
  let turn = 0;
  const done = withRedis(rig, async (redis) => {
    while (!stopping) {
      const keys = await redis.keys('catalog:*/*/*');
      /** @type {Buffer} */
      let other = Buffer.from('nothing yet');
      for (const key of keys) {
        if (stopping) break;
        const value = await redis.getrangeBuffer(key, 0, 100_000).catch(() => null);
        if (!value?.length) continue;
        if (turn % pauseEvery === 0) await sleep(1); // the fault is the values, not a flood of commands
        await corruptions[turn++ % corruptions.length](redis, key, value, other);
        other = value;
      }
      if (keys.length > 0) await redis.set(keys[0], Buffer.alloc(hugeBytes));
    }
    const keys = await redis.keys('catalog:*/*/*');
    if (keys.length > 0) await redis.unlink(keys);
  });
  done.catch(() => {}); // the stop below rejects with it
  return async () => {
    stopping = true;
    await done;
  };
}

/** @param {Rig} rig */
async function corrupted(rig) {
  const before = await rig.counter('catalog_poisoned_total');
  let stop = async () => {};
  const checks = await withoutExit(rig, async () => {
    const course = await underLoad(rig, {
      inject: () => void (stop = startCorrupting(rig)),
      heal: () => stop(),
      seconds: 15,
    });
    return [...unnoticed(course), atLeast('requests meanwhile', course.settled.asked, rig.scale < 1 ? 100 : 10_000)];
  });
  const read = (await rig.counter('catalog_poisoned_total')) - before;
  return [...checks, atLeast('corrupt values that a read found and deleted', read, rig.scale < 1 ? 5 : 500)];
}

/** A server that speaks Redis and answers every command with one error. @param {string} error */
async function startRefusing(error) {
  let answered = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      // A command is an array: one line that begins with * each.
      const commands = data.toString('latin1').match(/^\*\d/gm)?.length ?? 0;
      socket.write(`-${error}\r\n`.repeat(commands));
      answered += commands;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return { port, answered: () => answered, close: () => void server.close() };
}

/** @param {Rig} rig */
async function loading(rig) {
  const redis = await startRefusing('LOADING Redis is loading the dataset in memory');
  const moveTo = (/** @type {net.NetConnectOpts} */ target) => {
    rig.proxies.redis.retarget(target);
    rig.proxies.redis.cut();
  };
  try {
    const checks = await withoutExit(rig, async () =>
      unnoticed(
        await underLoad(rig, {
          inject: () => moveTo({ host: '127.0.0.1', port: redis.port }),
          heal: () => moveTo({ path: rig.servers.valkey.socket }),
        }),
      ),
    );
    return [...checks, atLeast('commands that it answered so', redis.answered(), 1)];
  } finally {
    redis.close();
  }
}

/** @type {import('../run').Runs} */
const redisValueFaults = { R6: corrupted, R10b: loading };

module.exports = { redisValueFaults };
