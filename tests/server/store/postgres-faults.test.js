'use strict';

const request = require('supertest');

const { createProxy } = require('../../lab/testbed/proxy');
const { serveCatalog, startService, until } = require('../../helpers/app');
const { idOf, manyProducts } = require('../../helpers/database');
const { overTcp, socketDirOf } = require('../../helpers/servers');

describe('PostgreSQL', () => {
  /** @type {Awaited<ReturnType<typeof createProxy>>} */
  let proxy;
  let proxied = '';
  const served = serveCatalog(manyProducts(300), async ({ dsn }) => {
    proxy = await createProxy({ path: `${socketDirOf(dsn)}/.s.PGSQL.5432` });
    proxied = overTcp(dsn, proxy.port);
    return {
      DATABASE_URL: proxied,
      PG_LOCK_TIMEOUT_MS: 200,
      PG_STATEMENT_TIMEOUT_MS: 300,
      PG_QUERY_TIMEOUT_MS: 600,
      PG_CONNECT_TIMEOUT_MS: 500,
      PG_BULK_QUERY_TIMEOUT_MS: 60_000, // longer than a test may take: none waits for it
    };
  });
  afterAll(() => proxy?.close());
  const get = (/** @type {string} */ path) => request(served.app.url).get(path);
  const ready = () => served.app.service.health().ready;
  /** A product in L1: the third read is answered there. */
  const heat = async () => {
    for (let round = 0; round < 3; round += 1) await get(`/products/${idOf(1)}`);
  };

  test('down: cached replies are served, the rest is a 503 with Retry-After, and workers recover', async () => {
    await heat();
    proxy.refuse();
    await until(() => !ready());
    expect(served.app.service.health().parts.database).toBe('down');
    const cold = await get(`/products/${idOf(2)}`);
    expect([cold.status, cold.headers['retry-after']]).toEqual([503, '1']);
    expect((await get(`/products/${idOf(1)}`)).status).toBe(200);
    expect((await request(served.app.adminUrl).get('/livez')).status).toBe(200);
    proxy.accept();
    await until(ready);
    expect((await get(`/products/${idOf(2)}`)).status).toBe(200);
  });

  test('slow while a worker starts: the worker has all connections when it is ready', async () => {
    proxy.set({ delayMs: 10 });
    const own = await startService({ DATABASE_URL: proxied });
    try {
      expect([own.service.health().ready, own.counts.databaseConnected]).toEqual([true, 5]);
      expect((await fetch(`${own.url}/products?count=300`)).status).toBe(200);
    } finally {
      proxy.set({ delayMs: 0 });
      await own.close();
    }
  });

  test('one connection killed by the server fails no read', async () => {
    const own = await startService({ DATABASE_URL: served.catalog.dsn });
    try {
      await until(() => own.service.health().ready);
      const reads = Array.from(
        { length: 40 },
        (_, index) =>
          request(own.url)
            .get(`/products/${idOf(60 + index)}`)
            .then(({ status }) => status), // sends it; else it would wait for the await below
      );
      await served.catalog.client.query(
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

  test('hanging: each read gets a 503 within its timeout, and workers recover', async () => {
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

  test('silent: a long page is refused at once, and answered when the database answers again', async () => {
    await until(async () => (await get('/products?count=299')).status === 200);
    proxy.hold(true);
    expect((await get('/products?count=300')).status).toBe(503);
    expect((await get('/products?after=1&count=300')).status).toBe(503);
    proxy.hold(false);
    await until(async () => (await get('/products?after=1&count=300')).status === 200);
    await until(ready);
  });

  test('slow with one long page: the worker waits for it while the data version is answered', async () => {
    const sql = async (/** @type {string} */ text) => (await served.catalog.client.query(text)).rows[0];
    const backend = (/** @type {string} */ lane) => `FROM pg_stat_activity
      WHERE application_name = 'catalog-${lane}' AND datname = current_database()`;
    const { pid } = await sql(`SELECT pid ${backend('bulk')}`);
    process.kill(pid, 'SIGSTOP');
    const page = get('/products?after=2&count=300').then(({ status }) => status);
    for (let polls = 0; polls < 6; polls += 1) {
      const { at } = await sql(`SELECT query_start::text AS at ${backend('version')}`);
      await until(async () => (await sql(`SELECT query_start::text AS at ${backend('version')}`)).at !== at);
    }
    process.kill(pid, 'SIGCONT');
    expect(await page).toBe(200);
  });

  test('locked: the read gets a 503, the server cancels the query, and the connections stay', async () => {
    const lost = served.app.counts.databaseLost;
    await served.catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    expect((await get(`/products/${idOf(7)}`)).status).toBe(503);
    const { rows } = await served.catalog.client.query(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE application_name LIKE 'catalog-%' AND wait_event_type = 'Lock' AND datname = current_database()`,
    );
    expect(rows[0].waiting).toBe(0);
    await served.catalog.client.query('COMMIT');
    expect((await get(`/products/${idOf(7)}`)).status).toBe(200);
    expect(served.app.counts.databaseLost).toBe(lost);
  });

  test('locked at the first reads of a connection: only reads of the locked table get a 503', async () => {
    const impatient = { PG_LOCK_TIMEOUT_MS: 500, PG_SHORT_CONNECTIONS: 1 };
    const own = await startService({ DATABASE_URL: served.catalog.dsn, ...impatient });
    try {
      await served.catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
      const paths = [1, 2, 3, 4].map((index) => `/products/${idOf(index)}`);
      const statuses = [...paths, `/products/${idOf(5)}/styles`].map(
        async (path) => (await fetch(own.url + path)).status,
      );
      expect(await Promise.all(statuses)).toEqual([503, 503, 503, 503, 200]);
      await served.catalog.client.query('COMMIT');
      for (const path of paths) expect((await fetch(own.url + path)).status).toBe(200);
      expect(own.counts.databaseLost).toBeUndefined();
    } finally {
      await own.close();
    }
  });

  test('with columns of another type: every read is answered on the existing connections', async () => {
    const own = await startService({ DATABASE_URL: served.catalog.dsn });
    await until(() => own.counts.databaseConnected === 5);
    const { databaseConnected } = own.counts;
    const statuses = async (/** @type {(index: number) => string} */ path, /** @type {number} */ from) => {
      const paths = Array.from({ length: 50 }, (_, index) => path(from + index));
      return new Set(await Promise.all(paths.map(async (each) => (await fetch(own.url + each)).status)));
    };
    const kinds = [
      (/** @type {number} */ index) => `/products/${idOf(index)}`,
      (/** @type {number} */ index) => `/products/${idOf(index)}/styles`,
      (/** @type {number} */ index) => `/products/${idOf(index)}/related`,
      (/** @type {number} */ index) => `/products?page=${index}&count=2`,
      (/** @type {number} */ index) => `/products?after=${index}&count=2`,
      (/** @type {number} */ index) => `/products?page=1&count=${201 + index}`,
    ];
    try {
      for (const kind of kinds) expect(await statuses(kind, 100)).toEqual(new Set([200])); // prepared
      const changed = own.nextVersion();
      await served.catalog.client.query(`BEGIN;
        ALTER TABLE catalog.product_documents ALTER id TYPE bigint, ALTER load_id TYPE bigint, ALTER related TYPE varchar;
        ALTER TABLE catalog.styles_documents ALTER body TYPE varchar;
        ALTER TABLE catalog.page_blocks ALTER load_id TYPE bigint;
        SELECT catalog_meta.bump_version(); COMMIT`);
      await changed;
      const answered = await Promise.all(kinds.map((kind) => statuses(kind, 1)));
      expect(answered).toEqual(kinds.map(() => new Set([200])));
      expect([own.counts.databaseConnected, own.counts.databaseLost]).toEqual([databaseConnected, undefined]);
    } finally {
      await own.close();
    }
  });

  test('never gets an id that it would refuse', async () => {
    const before = served.app.counts.queried;
    for (const id of [2 ** 31, 99_999_999_999]) expect((await get(`/products/${id}`)).status).toBe(400);
    expect(served.app.counts.queried).toBe(before);
  });
});
