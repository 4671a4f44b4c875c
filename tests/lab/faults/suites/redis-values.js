'use strict';
const { setTimeout: sleep } = require('node:timers/promises');
const { atLeast, exactly } = require('../checks');
const { underLoad, unnoticed } = require('../scenario');
const { withRedis } = require('./redis');

const hugeBytes = 50_000_000;
const pauseEvery = 5;

/**
 * What Redis may hold instead of what a worker wrote.
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

/** Corrupts every value, again and again, until it is stopped. @param {import('../../testbed/rig').Rig} rig */
function startCorrupting(rig) {
  let stopping = false;
  let turn = 0;
  const done = withRedis(rig, async (redis) => {
    const keysNow = () => redis.keys('catalog:*/*/*');
    while (!stopping) {
      const keys = await keysNow();
      /** @type {Buffer} */
      let other = Buffer.from('nothing yet');
      for (const key of keys) {
        if (stopping) break;
        const value = await redis.getrangeBuffer(key, 0, 100_000).catch(() => null);
        if (!value?.length) continue;
        if (turn % pauseEvery === 0) await sleep(1); // the fault is the values, not a flood of commands
        const corruption = corruptions[turn++ % (corruptions.length + 1)];
        if (corruption) await redis.set(key, corruption(value, other));
        else await redis.multi().del(key).lpush(key, 'a list').exec();
        other = value;
      }
      if (keys.length > 0) await redis.set(keys[0], Buffer.alloc(hugeBytes));
    }
    await redis.unlink('no such key', ...(await keysNow()));
  });
  done.catch(() => {}); // the stop below rejects with it
  return async () => {
    stopping = true;
    await done;
  };
}

/** @type {import('../run').Runs} */
const runs = {
  async R6(rig) {
    await rig.reloadWorkers(); // what L1 has is not read from Redis
    const pids = rig.workerPids();
    const before = await rig.counter('catalog_poisoned_total');
    let stop = async () => {};
    const inject = () => void (stop = startCorrupting(rig));
    const course = await underLoad(rig, { inject, heal: () => stop(), seconds: 15 });
    const read = (await rig.counter('catalog_poisoned_total')) - before;
    const share = (rig.scale * rig.rate) / 1000; // of the targets, which hold for 15 s of 1,000 requests a second
    return [
      ...unnoticed(course),
      atLeast('requests meanwhile', course.settled.asked, Math.ceil(5000 * share)),
      atLeast('corrupt values that a read found and deleted', read, Math.ceil(500 * share)),
      exactly('workers that ended', rig.workerPids().filter((pid) => !pids.includes(pid)).length),
    ];
  },
};

module.exports = { runs };
