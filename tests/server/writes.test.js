'use strict';

const { serveCatalog, startService, until } = require('../helpers/app');
const { createCatalog } = require('../helpers/database');
const { redisUrl } = require('../helpers/servers');
const { stockedProducts, writesOn } = require('../helpers/writes');

/** @typedef {Awaited<ReturnType<typeof startService>>} App */

const PRODUCTS = 20;
const ids = Array.from({ length: PRODUCTS }, (_, index) => index + 1);

/** @param {App} app @param {number} seq of a commit */
const knows = (app, seq) => until(() => Number(String(app.service.health().parts.position).split('.')[1]) >= seq);

/** @param {App} app @param {string} path */
async function get(app, path) {
  const reply = await fetch(app.url + path);
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text };
}

/** Reads a path of each product. @param {App} app @param {string} [tail] @returns the replies, and how many came from each tier */
async function readAll(app, tail = '') {
  const { database: db = 0, l2: shared = 0 } = app.counts;
  const replies = [];
  for (const id of ids) replies.push(await get(app, `/products/${id}${tail}`));
  const { database = 0, l2 = 0 } = app.counts;
  return { replies, tiers: { database: database - db, l2: l2 - shared } };
}

describe('a write', () => {
  const prefix = `writes-${process.pid}:`;
  const settings = { VERSION_POLL_MS: 50, REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix };
  const served = serveCatalog(stockedProducts(PRODUCTS), settings);
  /** @type {App} */
  let other;
  /** @type {ReturnType<typeof writesOn>} */
  let writes;
  const start = () => startService({ DATABASE_URL: served.catalog.dsn, ...settings });
  beforeAll(async () => {
    writes = writesOn(served.catalog.client);
    other = await start();
    for (const app of [served.app, other, served.app, other])
      for (const tail of ['', '/styles']) await readAll(app, tail);
  });
  afterAll(() => other?.close());

  test('is served by every worker with a new ETag after a single read of its product', async () => {
    const before = await get(served.app, '/products/5');
    const seq = await writes.rename(5, 'Written');
    for (const [app, tiers] of /** @type {const} */ ([
      [served.app, { database: 1, l2: 0 }],
      [other, { database: 0, l2: 1 }],
    ])) {
      await knows(app, seq);
      const { replies, tiers: used } = await readAll(app);
      expect(used).toEqual(tiers);
      expect(replies.map(({ text }) => JSON.parse(text).name)).toEqual(
        ids.map((id) => (id === 5 ? 'Written' : `Product ${id}`)),
      );
      expect(replies[4].headers.get('etag')).not.toBe(before.headers.get('etag'));
      expect(replies[4].headers.get('catalog-version')).toBe(before.headers.get('catalog-version'));
    }
  });

  test('of stock changes the styles and nothing else', async () => {
    await readAll(served.app, '/styles');
    await knows(served.app, await writes.restock(6, 77));
    expect((await readAll(served.app)).tiers).toEqual({ database: 0, l2: 0 });
    const { replies, tiers } = await readAll(served.app, '/styles');
    expect(tiers).toEqual({ database: 1, l2: 0 });
    expect(replies.map(({ text }) => /"quantity":(\d+)/.exec(text)?.[1])).toEqual(
      ids.map((id) => (id === 6 ? '77' : '1')),
    );
  });

  test('creates a product that was a 404, and deletes one', async () => {
    const paths = (/** @type {number} */ id) =>
      ['', '/styles', '/related', '?include=offer'].map((tail) => `/products/${id}${tail}`);
    const statuses = async () =>
      Promise.all([900, 7].flatMap(paths).map(async (path) => (await get(served.app, path)).status));
    expect(await statuses()).toEqual([404, 404, 404, 404, 200, 200, 200, 200]);
    await writes.create(900, 8);
    await knows(served.app, await writes.remove(7));
    // The last one has a card, so it moves with lists.
    await until(async () => `${await statuses()}` === '200,200,200,200,404,404,404,404');
  });

  test('is in lists, whose totals are those of their rows', async () => {
    const first = await get(served.app, '/products?count=3');
    await writes.create(901, 8);
    await writes.rename(2, 'Second');
    await until(async () => (await get(served.app, '/products?count=3')).text.includes('"Second"'));
    for (const path of ['/products?count=100', '/products?after=1&count=100&include=offer']) {
      const { headers, text } = await get(served.app, path);
      const shown = JSON.parse(text).map((/** @type {{ id: number }} */ { id }) => id);
      expect(shown.slice(-2)).toEqual([900, 901]);
      expect(headers.get('x-total-count')).toBe(String(PRODUCTS + 1));
    }
    expect((await get(served.app, '/products?page=22&count=1')).text).toBe('[]');
    expect(Number(first.headers.get('x-total-count'))).toBe(PRODUCTS);
  });

  test('leaves to a worker that starts later all entries of the others, and none that is older', async () => {
    await readAll(served.app);
    await knows(served.app, await writes.rename(9, 'While it starts'));
    const late = await start();
    try {
      const { replies, tiers } = await readAll(late);
      expect(tiers).toEqual({ database: 3, l2: PRODUCTS - 2 }); // product 7 is gone: Redis keeps no 404, nor whether it is hidden
      expect(JSON.parse(replies[8].text).name).toBe('While it starts');
    } finally {
      await late.close();
    }
  });

  test('that is in the log no longer is read from what the server stores of each product', async () => {
    const own = await startService({ DATABASE_URL: served.catalog.dsn, VERSION_POLL_MS: 3_600_000 });
    try {
      await readAll(own);
      await writes.rename(3, 'Third');
      const seq = await writes.rename(4, 'Fourth');
      await served.catalog.client.query('DELETE FROM catalog_log.commits WHERE seq < $1', [seq]);
      await served.catalog.client.query('NOTIFY catalog_version'); // as the writer rings
      await knows(own, seq);
      const { replies, tiers } = await readAll(own);
      expect(replies.slice(2, 4).map(({ text }) => JSON.parse(text).name)).toEqual(['Third', 'Fourth']);
      // Its slots are now those of all writes, of which it knew some by other numbers.
      expect(tiers.database).toBeGreaterThanOrEqual(2);
    } finally {
      await own.close();
    }
  });
});

describe('a load between writes', () => {
  const prefix = `unswap-${process.pid}:`;
  const settings = { VERSION_POLL_MS: 50, REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix };
  const served = serveCatalog(stockedProducts(3), settings);

  test('and its unswap show the writes of the catalog that is served, to workers old and new', async () => {
    const { client, dsn, swap } = served.catalog;
    const writes = writesOn(client);
    const exchange = async () => {
      const changed = served.app.nextVersion();
      await client.query(`BEGIN; ALTER SCHEMA catalog RENAME TO aside; ALTER SCHEMA catalog_previous RENAME TO catalog;
        ALTER SCHEMA aside RENAME TO catalog_previous;
        SELECT catalog_log.append('unswap', 1, is_whole => true), catalog_meta.bump_version(1); COMMIT`);
      await changed;
    };
    /** @param {string[]} wanted names of the three products */
    const allShow = async (...wanted) => {
      const late = await startService({ DATABASE_URL: dsn, ...settings });
      for (const app of [served.app, late, served.app]) {
        const replies = await Promise.all([1, 2, 3].map((id) => get(app, `/products/${id}`)));
        expect(replies.map(({ text }) => JSON.parse(text).name)).toEqual(wanted);
      }
      await late.close();
    };

    await knows(served.app, await writes.rename(1, 'First'));
    await allShow('First', 'Product 2', 'Product 3');
    const changed = served.app.nextVersion();
    await swap(stockedProducts(3, 'Load 2 of'), 2);
    await changed;
    await knows(served.app, await writes.rename(2, 'Second'));
    await allShow('Load 2 of 1', 'Second', 'Load 2 of 3');
    await exchange();
    await allShow('First', 'Product 2', 'Product 3');
    await knows(served.app, await writes.rename(3, 'Third'));
    await exchange();
    await allShow('Load 2 of 1', 'Second', 'Load 2 of 3');
    await exchange();
    await allShow('First', 'Product 2', 'Third');
  });
});

describe('a database of an earlier release', () => {
  const lacks = {
    'the log': ['ALTER SCHEMA catalog_log RENAME TO later', 'ALTER SCHEMA later RENAME TO catalog_log'],
    'a column of it': ['counted_seq TO later', 'later TO counted_seq'].map(
      (names) => `ALTER TABLE catalog_log.head RENAME COLUMN ${names}`,
    ),
    'the fields of its load': [
      'ALTER TABLE catalog_meta.declarations RENAME TO later',
      'ALTER TABLE catalog_meta.later RENAME TO declarations',
    ],
    'a grant': [
      'REVOKE SELECT ON catalog_log.head FROM catalog_api',
      'GRANT SELECT ON catalog_log.head TO catalog_api',
    ],
  };
  test.each(Object.entries(lacks))(
    'lacks %s, which is reported; it is served once it was prepared',
    async (_, [lose, prepare]) => {
      const catalog = await createCatalog(stockedProducts(2));
      await catalog.client.query(lose);
      const app = await startService({ DATABASE_URL: catalog.dsn, VERSION_POLL_MS: 50, READY_WAIT_MS: 100 });
      /** @type {string[]} */
      const reasons = [];
      app.service.events.on('versionUnread', (_lane, { message }) => void reasons.push(message));
      try {
        await until(() => reasons.length > 0);
        expect(reasons[0]).toMatch(/run prepare/);
        const { status, body } = await fetch(`${app.adminUrl}/readyz`).then(async (reply) => ({
          status: reply.status,
          body: await reply.json(),
        }));
        expect([status, body.ready, body.database]).toEqual([503, false, 'outdated: run prepare']);
        expect((await get(app, '/products/1')).status).toBe(503);
        await catalog.client.query(prepare);
        await until(() => app.service.health().ready);
        expect((await get(app, '/products/1')).status).toBe(200);
      } finally {
        await app.close();
        await catalog.drop();
      }
    },
  );
});
