'use strict';

const { Redis } = require('ioredis');
const request = require('supertest');

const { serveCatalog, startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { redisUrl } = require('../../helpers/servers');

const prefix = `batches-${process.pid}:`;
const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index + 1);

describe('a batch by ids', () => {
  const served = serveCatalog(manyProducts(600), { REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix });
  const get = (/** @type {string} */ query) => request(served.app.url).get(`/products?${query}`);

  /** @param {string} pattern @returns {Promise<number>} of a counter */
  async function counted(pattern) {
    const { text } = await request(served.app.adminUrl).get('/metrics');
    return Number(new RegExp(`^${pattern} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  test('of 500 is one query, on the connection of long lists', async () => {
    const ids = numbers(500).map((index) => idOf(601 - index));
    const { body, headers } = await get(`ids=${ids}`);
    expect(body.map((/** @type {{ id: number }} */ { id }) => id)).toEqual(ids);
    expect(headers).not.toHaveProperty('link');
    expect(headers).not.toHaveProperty('x-total-count');
    expect(await counted('catalog_query_seconds_count{query="long_batch"}')).toBe(1);
    expect(await counted('catalog_query_seconds_count{query="product"}')).toBe(0);
    expect(await counted('catalog_replies_total{route="batch",status="200"}')).toBe(1);
  });

  test('has null for an unknown id, in the order asked, with repeats', async () => {
    const [first, second] = [idOf(1), idOf(2)];
    const { body } = await get(`ids=${second},3,${first},${second},2147483647`);
    expect(body.map((/** @type {{ id: number } | null} */ each) => each?.id ?? null)).toEqual([
      second,
      null,
      first,
      second,
      null,
    ]);
    expect((await get('ids=3')).text).toBe('[null]');
    expect((await get('ids=3,3&include=offer,related')).text).toBe('[null,null]');
  });

  test('has the same elements one by one, repeated as a parameter, and encoded', async () => {
    const ids = [2, 7, 5].map(idOf);
    const whole = await get(`ids=${ids}&include=offer`);
    for (const query of [ids.map((id) => `ids=${id}`).join('&'), `ids=${ids.join('%2C')}`])
      expect((await get(`${query}&include=offer`)).text).toBe(whole.text);
    const each = await Promise.all(ids.map(async (id) => (await get(`ids=${id}&include=offer`)).text.slice(1, -1)));
    expect(`[${each}]`).toBe(whole.text);
  });

  test('is kept by the worker and not by Redis', async () => {
    const redis = new Redis(redisUrl());
    try {
      const { database } = served.app.counts;
      for (let round = 0; round < 5; round += 1) await get(`ids=${idOf(9)}`);
      expect(served.app.counts.database).toBe(database + 1);
      await request(served.app.url).get(`/products/${idOf(9)}`);
      await until(async () => (await redis.keys(`${prefix}*/product/${idOf(9)}`)).length === 1);
      expect(await redis.keys(`${prefix}*/batch/*`)).toEqual([]);
    } finally {
      redis.disconnect();
    }
  });

  test.each([
    ['501 ids', `ids=${numbers(501)}`, 'ids must name 1 to 500 products, and names 501.'],
    ['101 with styles', `ids=${numbers(101)}&include=styles`, 'ids must name 1 to 100 products with styles'],
    ['101 with related', `ids=${numbers(101)}&include=related`, 'ids must name 1 to 100 products with styles'],
    ['a malformed id', 'ids=1,0x2', '"0x2" is not one.'],
    ['a page too', 'ids=1&page=1', 'leave out page.'],
  ])('with %s is a 400 that says what to change', async (_, query, detail) => {
    const { status, body } = await get(query);
    expect([status, body.type, body.detail]).toEqual([
      400,
      'urn:catalog:problem:malformed-parameter',
      expect.stringContaining(detail),
    ]);
  });

  test('of 500 with offers, or of 100 with related products, is allowed', async () => {
    expect((await get(`ids=${numbers(500)}&include=offer,features,related_ids`)).body).toHaveLength(500);
    expect((await get(`ids=${numbers(100)}&include=styles,related`)).body).toHaveLength(100);
  });
});

describe('what a swap may leave between two tables', () => {
  const served = serveCatalog();
  /** @param {string} change @param {string} path @param {string} undo */
  async function withChange(change, path, undo) {
    await served.catalog.client.query(change);
    try {
      return (await request(served.app.url).get(path)).status;
    } finally {
      await served.catalog.client.query(undo);
    }
  }

  const later = 'UPDATE catalog.cards SET load_id = 2';
  const back = 'UPDATE catalog.cards SET load_id = 1';
  const stylesLater = 'UPDATE catalog.styles_documents SET load_id = 2';
  const stylesBack = 'UPDATE catalog.styles_documents SET load_id = 1';
  test.each([
    ['/products/1?include=offer', later, back, 503],
    ['/products/1?include=related', later, back, 503],
    ['/products/1?include=styles', stylesLater, stylesBack, 503],
    ['/products?include=offer', later, back, 503],
    ['/products?after=1&include=styles', stylesLater, stylesBack, 503],
    ['/products?ids=1,2&include=related', later, back, 503],
    // A product without related ones has nothing of another load in the reply; the table is known to be of one.
    ['/products/4?include=related', later, back, 503],
    ['/products/4?include=related_ids', later, back, 200],
    ['/products/5?include=styles', later, back, 200],
  ])('%s is answered from one load or refused: %s', async (path, change, undo, status) => {
    expect(await withChange(change, path, undo)).toBe(status);
  });

  /** @param {string} name of the products and their styles @returns {string} */
  const named = (name) => `
    INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
    SELECT i, '${name}', '-', '-', '-', 1 FROM generate_series(1, 9) AS i;
    INSERT INTO {schema}.styles (id, product_id, name, original_price, is_default)
    SELECT i, i, '${name}', 1, true FROM generate_series(1, 9) AS i;`;

  test.each(['/products/1?include=styles', '/products?ids=1,2&include=styles', '/products?after=1&include=styles'])(
    '%s is read again when it had read one table before a swap and waited for the other',
    async (path) => {
      const catalog = await createCatalog(named('old'));
      const app = await startService({ DATABASE_URL: catalog.dsn });
      try {
        await catalog.client.query('BEGIN; LOCK TABLE catalog.styles_documents IN ACCESS EXCLUSIVE MODE');
        const reply = request(app.url)
          .get(path)
          .then(({ text }) => text);
        const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'catalog.styles_documents'::regclass";
        await until(async () => (await catalog.client.query(waiting)).rowCount === 1);
        await catalog.swap(named('new'), 2);
        expect(new Set((await reply).match(/"name":"\w+"/g))).toEqual(new Set(['"name":"new"']));
        expect(app.counts.queried).toBeGreaterThan(1);
      } finally {
        await app.close();
        await catalog.drop();
      }
    },
  );

  test('a product whose row in another table is missing is refused, not shown without it', async () => {
    const [remove, restore] = [
      'CREATE TABLE kept AS SELECT * FROM catalog.cards WHERE id = 2; DELETE FROM catalog.cards WHERE id = 2',
      'INSERT INTO catalog.cards SELECT * FROM kept; DROP TABLE kept',
    ];
    expect(await withChange(remove, '/products/2?include=offer', restore)).toBe(503);
    expect(await withChange(remove, '/products?ids=1,2&include=offer', restore)).toBe(503);
    expect((await request(served.app.url).get('/products/2?include=offer')).status).toBe(200);
  });
});
