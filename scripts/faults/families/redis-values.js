'use strict';
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');

const { atLeast } = require('../checks');
const { underLoad, unnoticed, withoutExit } = require('../scenario');
const { withRedis } = require('./redis');

/** @typedef {import('../rig').Rig} Rig */
/** @typedef {import('ioredis').Redis} Redis */

const hugeBytes = 50_000_000;
const pauseEvery = 5;

/**
 * What may lie in Redis instead of what was written there.
 * @type {((redis: Redis, key: string, value: Buffer, other: Buffer) => Promise<unknown>)[]}
 */
const poisons = [
  (redis, key) => redis.set(key, 'not json'),
  (redis, key, value) => redis.set(key, value.subarray(0, value.length / 2)),
  (redis, key, value) => redis.set(key, value.subarray(0, 3)),
  (redis, key, _value, other) => redis.set(key, other), // whole and sound, of another product
  (redis, key, value) => redis.set(key, Buffer.from(value).fill('x', Math.max(0, value.length - 4))),
  (redis, key) => redis.multi().del(key).lpush(key, 'a list').exec(),
  (redis, key) => redis.set(key, '{"__proto__":{"polluted":true}}'),
  (redis, key) => redis.set(key, ''),
];

/** Poisons whatever there is, again and again, until it is told to stop. @param {Rig} rig */
function startPoisoning(rig) {
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
        if (turn % pauseEvery === 0) await sleep(1); // the fault is what lies there, not a flood of commands
        await poisons[turn++ % poisons.length](redis, key, value, other);
        other = value;
      }
      if (keys.length > 0) await redis.set(keys[0], Buffer.alloc(hugeBytes));
    }
    const keys = await redis.keys('catalog:*/*/*');
    if (keys.length > 0) await redis.unlink(keys);
  });
  done.catch(() => {}); // told to whoever stops it
  return async () => {
    stopping = true;
    await done;
  };
}

/** @param {Rig} rig */
async function poisoned(rig) {
  const before = await rig.counter('catalog_poisoned_total');
  let stop = async () => {};
  const checks = await withoutExit(rig, async () => {
    const course = await underLoad(rig, {
      inject: () => void (stop = startPoisoning(rig)),
      heal: () => stop(),
      seconds: 15,
    });
    return [...unnoticed(course), atLeast('requests meanwhile', course.settled.asked, rig.scale < 1 ? 100 : 10_000)];
  });
  const met = (await rig.counter('catalog_poisoned_total')) - before;
  return [...checks, atLeast('poisoned values that a read met and deleted', met, rig.scale < 1 ? 5 : 500)];
}

/** A server that speaks Redis and answers every command with one error. @param {string} error */
async function startRefusing(error) {
  let answered = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    // A command is an array; one line that begins with * for each.
    socket.on('data', (data) => {
      const commands = data.toString('latin1').match(/^\*\d/gm)?.length ?? 0;
      socket.write(`-${error}\r\n`.repeat(commands));
      answered += commands;
    });
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return { port, answered: () => answered, close: () => void server.close() };
}

/** @param {Rig} rig */
async function loading(rig) {
  const redis = await startRefusing('LOADING Redis is loading the dataset in memory');
  try {
    const checks = await withoutExit(rig, async () =>
      unnoticed(
        await underLoad(rig, {
          inject: () => {
            rig.proxies.redis.retarget({ host: '127.0.0.1', port: redis.port });
            rig.proxies.redis.cut();
          },
          heal: () => {
            rig.proxies.redis.retarget({ path: rig.servers.valkey.socket });
            rig.proxies.redis.cut();
          },
        }),
      ),
    );
    return [...checks, atLeast('commands that it answered so', redis.answered(), 1)];
  } finally {
    redis.close();
  }
}

/** @type {import('../run').Fault[]} */
const redisValueFaults = [
  {
    id: 'R6',
    title: 'Redis values poisoned',
    done: 'all keys rewritten again and again: no JSON, half, three bytes, another product, changed bytes, a list, __proto__, nothing, 50 MB',
    run: poisoned,
  },
  {
    id: 'R10b',
    title: 'Redis still loading',
    done: 'every command answered LOADING for 10 s',
    run: loading,
  },
];

module.exports = { redisValueFaults };
