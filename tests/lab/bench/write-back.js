'use strict';
/*
 * Baseline: the write-back of the article, which acknowledges from its memory. Changes go to Redis and to the table each second, or when
 * there are 10,000.
 * Usage: node write-back.js PORT DSN REDIS_URL
 */
const http = require('node:http');
const { json } = require('node:stream/consumers');
const Redis = require('ioredis');
const { withClient } = require('../../../scripts/local/roles');

const [port, dsn, redisUrl] = process.argv.slice(2);
const [flushMs, flushSize] = [1000, 10_000];
const updateSql = `UPDATE bench_write_back AS kept SET quantity = changed.quantity
  FROM unnest($1::int[], $2::int[]) AS changed (id, quantity) WHERE kept.id = changed.id`;

/** @type {Map<number, number>} */
let changed = new Map();
let wake = () => {};

/** @param {import('pg').Client} client @param {Redis.Redis} redis */
async function flush(client, redis) {
  const batch = changed;
  changed = new Map();
  if (batch.size === 0) return;
  await redis.mset(batch);
  await client.query(updateSql, [[...batch.keys()], [...batch.values()]]);
}

http
  .createServer(async (request, response) => {
    const { set } = /** @type {{ set: [number, number][] }} */ (await json(request));
    for (const [sku, quantity] of set) changed.set(sku, quantity);
    if (changed.size >= flushSize) wake();
    response.end('{}');
  })
  .listen(Number(port), '127.0.0.1');

withClient(dsn, async (client) => {
  const redis = new Redis.Redis(redisUrl);
  for (;;) {
    await new Promise((resolve) => {
      wake = () => resolve(undefined);
      setTimeout(resolve, changed.size >= flushSize ? 0 : flushMs);
    });
    await flush(client, redis);
  }
});
