'use strict';

const { Redis } = require('ioredis');
const request = require('supertest');

const { createProxy } = require('../../lab/testbed/proxy');
const { serveCatalog, startService, until } = require('../../helpers/app');
const { idOf, manyProducts } = require('../../helpers/database');
const { redisUrl } = require('../../helpers/servers');

describe('Redis', () => {
  const prefix = `test-${process.pid}-${Date.now()}:`;
  const socket = decodeURIComponent(new URL(redisUrl()).pathname);
  /** @type {Redis} */
  let redis;
  /** @type {Awaited<ReturnType<typeof createProxy>>} */
  let proxy;
  const served = serveCatalog(manyProducts(300), async () => {
    redis = new Redis({ path: socket });
    proxy = await createProxy({ path: socket });
    return {
      REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
      REDIS_KEY_PREFIX: prefix,
      REDIS_RECONNECT_MS: 50,
      REDIS_COMMAND_TIMEOUT_MS: 50,
      BREAKER_OPEN_MS: 100,
    };
  });
  beforeAll(() => until(() => served.app.service.health().parts.cache === 'up'));
  afterAll(async () => {
    await proxy?.close();
    redis?.disconnect();
  });
  const get = (/** @type {string} */ path) => request(served.app.url).get(path);
  /** Products that are in no L1 yet, two for each corrupt value. */
  let corruptIndex = 100;
  const stored = () => redis.keys(`${prefix}*/product/*`);
  /** Another worker on the same Redis, with nothing in its L1. */
  const startSecond = async () => {
    const second = await startService({
      DATABASE_URL: served.catalog.dsn,
      REDIS_URL: redisUrl(),
      REDIS_KEY_PREFIX: prefix,
    });
    await until(() => second.service.health().parts.cache === 'up');
    return second;
  };

  test('serves what another worker has cached', async () => {
    const first = await get(`/products/${idOf(1)}`);
    await until(async () => (await stored()).length === 1);
    const other = await startSecond();
    const second = await request(other.url).get(`/products/${idOf(1)}`);
    expect([second.text, second.headers.etag]).toEqual([first.text, first.headers.etag]);
    expect(other.counts).toMatchObject({ l2: 1 });
    expect(other.counts.database).toBeUndefined();
    await other.close();
  });

  test('a list keeps its Link through Redis', async () => {
    const path = '/products?count=2&page=2';
    const first = await get(path);
    await until(async () => (await redis.keys(`${prefix}*/lists/page/2/2/`)).length === 1);
    const other = await startSecond();
    const second = await request(other.url).get(path);
    expect(second.text).toBe(first.text);
    expect([second.headers.link, second.headers['x-total-count']]).toEqual([
      '<?after=11&count=2>; rel="next", <?page=1&count=2>; rel="first", <?page=1&count=2>; rel="prev", <?page=150&count=2>; rel="last"',
      '300',
    ]);
    expect(other.counts).toMatchObject({ l2: 1 });
    await other.close();
  });

  test.each([
    ['text', (/** @type {string} */ key) => redis.set(key, 'not json')],
    [
      'half a value',
      async (/** @type {string} */ key) => redis.set(key, (await redis.getBuffer(key))?.subarray(0, 60) ?? ''),
    ],
    [
      'the value of another product',
      async (/** @type {string} */ key) => redis.rename((await stored()).filter((other) => other !== key)[0], key),
    ],
    ['a list', async (/** @type {string} */ key) => (await redis.del(key), redis.lpush(key, 'x'))],
    ['20 MB', (/** @type {string} */ key) => redis.set(key, Buffer.alloc(20e6))],
    ['JSON with __proto__', (/** @type {string} */ key) => redis.set(key, '{"__proto__":{}}')],
  ])('%s instead of a value is never served, and the value is written again', async (_title, corrupt) => {
    const id = idOf((corruptIndex += 2));
    const wanted = (await get(`/products/${id}`)).text;
    await get(`/products/${idOf(corruptIndex + 1)}`);
    const current = String(served.app.service.health().parts.version);
    const key = `${prefix}${current}.0/2/product/${id}`;
    await until(async () => (await redis.exists(key)) === 1 && (await stored()).length > 1);
    const sound = await redis.getBuffer(key);
    await corrupt(key);
    const fresh = await startSecond();
    expect((await request(fresh.url).get(`/products/${id}`)).text).toBe(wanted);
    expect(fresh.counts.corrupted).toBe(1);
    await until(async () => {
      const value = await redis.getBuffer(key).catch(() => null); // still a list, until it is deleted
      return value?.equals(/** @type {Buffer} */ (sound)) ?? false;
    });
    await fresh.close();
  });

  test('hanging: no read fails, and after the first few none waits', async () => {
    proxy.hold(true);
    for (let index = 20; index < 40; index += 1) expect((await get(`/products/${idOf(index)}`)).status).toBe(200);
    expect(served.app.counts.breakerChanged).toBeGreaterThan(0);
    expect(served.app.counts.redisFailed).toBeLessThan(20);
    proxy.hold(false);
  });

  test('down: no read fails, and it is used again when it is back', async () => {
    proxy.refuse();
    await until(() => served.app.service.health().parts.cache === 'down');
    for (let index = 40; index < 60; index += 1) expect((await get(`/products/${idOf(index)}`)).status).toBe(200);
    expect((await request(served.app.adminUrl).get('/readyz')).status).toBe(200);
    proxy.accept();
    let index = 60;
    await until(async () => {
      await get(`/products/${idOf((index += 1))}`);
      return served.app.service.health().parts.cache === 'up';
    });
  });

  test('absent at the start: the worker starts and serves', async () => {
    const alone = await startService({
      DATABASE_URL: served.catalog.dsn,
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect((await request(alone.url).get(`/products/${idOf(1)}`)).status).toBe(200);
    await alone.close();
  });

  /** A worker without PostgreSQL. @param {string} url of Redis */
  const startOrphan = (url) =>
    startService({
      DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
      REDIS_URL: url,
      REDIS_KEY_PREFIX: prefix,
      REDIS_RECONNECT_MS: 50,
      READY_WAIT_MS: 300,
    });
  const storedId = async () => {
    await until(async () => (await stored()).length > 0);
    return (await stored())[0].split('/').pop();
  };

  test('a worker that starts without PostgreSQL serves what Redis has', async () => {
    const id = await storedId();
    const orphan = await startOrphan(redisUrl());
    expect((await request(orphan.url).get(`/products/${id}`)).status).toBe(200);
    expect((await request(orphan.adminUrl).get('/readyz')).status).toBe(503);
    expect((await request(orphan.adminUrl).get('/livez')).status).toBe(200);
    await orphan.close();
  });

  test('a worker that starts without both serves what Redis has once Redis is up', async () => {
    const id = await storedId();
    proxy.refuse();
    const orphan = await startOrphan(`redis://127.0.0.1:${proxy.port}`);
    expect((await request(orphan.url).get(`/products/${id}`)).status).toBe(503);
    proxy.accept();
    await until(async () => (await request(orphan.url).get(`/products/${id}`)).status === 200);
    await orphan.close();
  });
});
