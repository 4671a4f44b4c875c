'use strict';

const { Redis } = require('ioredis');
const request = require('supertest');

const { createProxy } = require('../../scripts/faults/proxy');
const { startService, until } = require('../helpers/app');
const { createCatalog, manyProducts } = require('../helpers/database');
const { redisUrl } = require('../helpers/servers');

/** @type {import('../helpers/database').TestCatalog} */
let catalog;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
beforeAll(async () => {
  catalog = await createCatalog(manyProducts(300));
});
afterAll(async () => catalog?.drop());

const get = (/** @type {string} */ path) => request(app.url).get(path);
const idOf = (/** @type {number} */ index) => index * 3 - (index % 3);

describe('Redis', () => {
  const prefix = `test-${process.pid}-${Date.now()}:`;
  const socket = decodeURIComponent(new URL(redisUrl()).pathname);
  /** @type {Redis} */
  let redis;
  /** @type {Awaited<ReturnType<typeof createProxy>>} */
  let proxy;
  beforeAll(async () => {
    redis = new Redis({ path: socket });
    proxy = await createProxy({ path: socket });
    app = await startService({
      ...{ DATABASE_URL: catalog.dsn, REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
      ...{ REDIS_KEY_PREFIX: prefix, REDIS_RECONNECT_MS: 50, BREAKER_OPEN_MS: 100 },
    });
    await until(() => app.service.health().parts.cache === 'up');
  });
  afterAll(async () => {
    await app?.close();
    await proxy?.close();
    redis?.disconnect();
  });
  /** Products that are in no L1 yet, two for each poison. */
  let poisonedIndex = 100;
  const stored = () => redis.keys(`${prefix}*/product/*`);

  test('serves from Redis what another worker has filled', async () => {
    const first = await get(`/products/${idOf(1)}`);
    await until(async () => (await stored()).length === 1);
    const other = await startService({
      ...{ DATABASE_URL: catalog.dsn, REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix },
    });
    await until(() => other.service.health().parts.cache === 'up');
    const second = await request(other.url).get(`/products/${idOf(1)}`);
    expect([second.text, second.headers.etag]).toEqual([first.text, first.headers.etag]);
    expect(other.counts).toMatchObject({ l2: 1 });
    expect(other.counts.database).toBeUndefined();
    await other.close();
  });

  test('a list keeps its Link through Redis', async () => {
    const path = '/products?count=2&page=2';
    const first = await get(path);
    await until(async () => (await redis.keys(`${prefix}*/page/2/2`)).length === 1);
    const second = await get(path);
    expect([second.text, second.headers.link]).toEqual([first.text, first.headers.link]);
  });

  test.each([
    ['text', (/** @type {string} */ key) => redis.set(key, 'not json')],
    [
      'half a value',
      async (/** @type {string} */ key) =>
        redis.set(key, (await redis.getBuffer(key))?.subarray(0, 60) ?? ''),
    ],
    [
      'the value of another product',
      async (/** @type {string} */ key) =>
        redis.rename((await stored()).filter((other) => other !== key)[0], key),
    ],
    ['a list', async (/** @type {string} */ key) => (await redis.del(key), redis.lpush(key, 'x'))],
    ['20 MB', (/** @type {string} */ key) => redis.set(key, Buffer.alloc(20e6))],
    ['JSON with __proto__', (/** @type {string} */ key) => redis.set(key, '{"__proto__":{}}')],
  ])('%s in place of a value is deleted and never served', async (_title, poison) => {
    const id = idOf((poisonedIndex += 2));
    const wanted = (await get(`/products/${id}`)).text;
    await get(`/products/${idOf(poisonedIndex + 1)}`);
    const current = String(app.service.health().parts.version);
    const key = `${prefix}${current}/product/${id}`;
    await until(async () => (await redis.exists(key)) === 1 && (await stored()).length > 1);
    await poison(key);
    const before = app.counts.poisoned ?? 0;
    const fresh = await startService({
      ...{ DATABASE_URL: catalog.dsn, REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix },
      REDIS_COMMAND_TIMEOUT_MS: 2000,
    });
    await until(() => fresh.service.health().parts.cache === 'up');
    expect((await request(fresh.url).get(`/products/${id}`)).text).toBe(wanted);
    expect((fresh.counts.poisoned ?? 0) + before).toBe(before + 1);
    await fresh.close();
  });

  test('hanging: no read fails, and after the first few nobody waits', async () => {
    proxy.hold(true);
    for (let index = 20; index < 40; index += 1)
      expect((await get(`/products/${idOf(index)}`)).status).toBe(200);
    expect(app.counts.breakerChanged).toBeGreaterThan(0);
    expect(app.counts.redisFailed).toBeLessThan(20);
    proxy.hold(false);
  });

  test('dead: no read fails, and it is used again when it is back', async () => {
    proxy.refuse();
    await until(() => app.service.health().parts.cache === 'down');
    for (let index = 40; index < 60; index += 1)
      expect((await get(`/products/${idOf(index)}`)).status).toBe(200);
    expect((await request(app.adminUrl).get('/readyz')).status).toBe(200);
    proxy.accept();
    let index = 60;
    await until(async () => {
      await get(`/products/${idOf((index += 1))}`);
      return app.service.health().parts.cache === 'up';
    });
  });

  test('absent at the start: the worker starts and serves', async () => {
    const alone = await startService({
      ...{ DATABASE_URL: catalog.dsn, REDIS_URL: 'redis://127.0.0.1:1' },
    });
    expect((await request(alone.url).get(`/products/${idOf(1)}`)).status).toBe(200);
    await alone.close();
  });

  test('a worker that starts without PostgreSQL serves what Redis has', async () => {
    await until(async () => (await stored()).length > 0);
    const key = (await stored())[0];
    const id = key.split('/').pop();
    const orphan = await startService({
      ...{ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', REDIS_URL: redisUrl() },
      ...{ REDIS_KEY_PREFIX: prefix, READY_WAIT_MS: 300 },
    });
    expect((await request(orphan.url).get(`/products/${id}`)).status).toBe(200);
    expect((await request(orphan.adminUrl).get('/readyz')).status).toBe(503);
    expect((await request(orphan.adminUrl).get('/livez')).status).toBe(200);
    await orphan.close();
  });
});

describe('PostgreSQL', () => {
  /** @type {Awaited<ReturnType<typeof createProxy>>} */
  let proxy;
  beforeAll(async () => {
    const socketDir = /host=([^&]+)/.exec(catalog.dsn)?.[1] ?? '';
    proxy = await createProxy({ path: `${decodeURIComponent(socketDir)}/.s.PGSQL.5432` });
    app = await startService({
      DATABASE_URL: catalog.dsn.replace(/@[^?]*(\/\w+)\?.*$/, `@127.0.0.1:${proxy.port}$1`),
      ...{ PG_LOCK_TIMEOUT_MS: 200, PG_STATEMENT_TIMEOUT_MS: 300, PG_QUERY_TIMEOUT_MS: 600 },
      PG_CONNECT_TIMEOUT_MS: 500,
    });
  });
  afterAll(async () => {
    await app?.close();
    await proxy?.close();
  });
  const ready = () => app.service.health().ready;
  /** A product in L1: the third read is answered there. */
  const heat = async () => {
    for (let round = 0; round < 3; round += 1) await get(`/products/${idOf(1)}`);
  };

  test('away: what is cached is served, the rest is 503 with Retry-After, and it recovers alone', async () => {
    await heat();
    proxy.refuse();
    await until(() => !ready());
    const cold = await get(`/products/${idOf(2)}`);
    expect([cold.status, cold.headers['retry-after']]).toEqual([503, '1']);
    expect((await get(`/products/${idOf(1)}`)).status).toBe(200);
    expect((await request(app.adminUrl).get('/livez')).status).toBe(200);
    proxy.accept();
    await until(ready);
    expect((await get(`/products/${idOf(2)}`)).status).toBe(200);
  });

  test('one connection killed by the server fails no read', async () => {
    // A read is tried again within a part of its timeout, which must be long for a slow machine.
    const patient = { PG_STATEMENT_TIMEOUT_MS: 15_000, PG_QUERY_TIMEOUT_MS: 20_000 };
    const own = await startService({ DATABASE_URL: catalog.dsn, ...patient });
    try {
      await until(() => own.service.health().ready);
      const reads = Array.from(
        { length: 40 },
        (_, index) =>
          request(own.url)
            .get(`/products/${idOf(60 + index)}`)
            .then(({ status }) => status), // sends it; else it would wait for the await below
      );
      await catalog.client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'catalog-short' AND datname = current_database()
         ORDER BY backend_start DESC LIMIT 1`,
      );
      expect(new Set(await Promise.all(reads))).toEqual(new Set([200]));
      await until(() => own.counts.databaseConnected > 4);
    } finally {
      await own.close();
    }
  });

  test('hanging: each read ends in a 503 within its timeout, and it recovers alone', async () => {
    await heat();
    proxy.hold(true);
    const reads = await Promise.all([4, 5, 6].map((index) => get(`/products/${idOf(index)}`)));
    expect(reads.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await get(`/products/${idOf(1)}`)).status).toBe(200);
    proxy.hold(false);
    proxy.cut();
    await until(ready);
    expect((await get(`/products/${idOf(4)}`)).status).toBe(200);
  });

  test('a lock: the read is a 503, the server forgets the query, the connections stay', async () => {
    const lost = app.counts.databaseLost;
    await catalog.client.query(
      'BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE',
    );
    expect((await get(`/products/${idOf(7)}`)).status).toBe(503);
    await catalog.client.query('COMMIT');
    const { rows } = await catalog.client.query(
      `SELECT count(*)::int AS active FROM pg_stat_activity
       WHERE application_name LIKE 'catalog-%' AND state = 'active' AND datname = current_database()`,
    );
    expect(rows[0].active).toBe(0);
    expect((await get(`/products/${idOf(7)}`)).status).toBe(200);
    expect(app.counts.databaseLost).toBe(lost);
  });

  test('an id that PostgreSQL would refuse never reaches it', async () => {
    const before = app.counts.databaseConnected;
    for (let round = 0; round < 20; round += 1) await get('/products/99999999999');
    expect(app.counts.databaseConnected).toBe(before);
  });
});
