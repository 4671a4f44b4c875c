'use strict';

const request = require('supertest');

const { countedPage } = require('../../../server/store/queries');
const { serveCatalog, startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { byTwoNames } = require('../../helpers/replica');

const ROWS = 1000;

/** A list of more than 200 has been sent to the database. @param {string} adminUrl */
const longListWaits = async (adminUrl) =>
  /^catalog_database_in_flight\{.*lane="bulk"\} 1/m.test((await request(adminUrl).get('/metrics')).text);

describe('lists', () => {
  const served = serveCatalog(manyProducts(ROWS));

  /** Compares pages with what OFFSET gives. @param {[page: number, count: number][]} pages */
  async function compare(pages) {
    for (const [page, count] of pages) {
      const { rows } = await served.catalog.client.query(
        'SELECT id FROM catalog.products ORDER BY id OFFSET $1 LIMIT $2',
        [(page - 1) * count, count],
      );
      const { body, headers } = await request(served.app.url).get(`/products?page=${page}&count=${count}`);
      expect(body.map((/** @type {{ id: number }} */ { id }) => id)).toEqual(rows.map(({ id }) => id));
      const { rows: rest } = await served.catalog.client.query(
        'SELECT count(*)::int AS left FROM catalog.products WHERE id > $1',
        [rows.at(-1)?.id ?? 2147483647],
      );
      expect(headers.link.includes('rel="next"')).toBe(rest[0].left > 0);
    }
  }
  const everySize = [1, 2, 5, 63, 64, 65, 127, 128, 199, 200, 201, 999, 1000, 1001, 20000].flatMap((count) =>
    [1, 2, 3, 7, Math.ceil(ROWS / count), Math.ceil(ROWS / count) + 1].map(
      (page) => /** @type {[number, number]} */ ([page, count]),
    ),
  );

  test('have the rows that OFFSET would give, with gaps between the ids', () => compare(everySize));

  test('have the same rows, and the number of all, when one statement counts and reads them', async () => {
    const { client } = served.catalog;
    /** @param {number} firstId @param {number} rowsBefore @param {number} count */
    const counted = async (firstId, rowsBefore, count) => {
      const { rows } = await client.query({
        text: countedPage.text,
        values: ['{}', firstId, rowsBefore, count],
        rowMode: 'array',
      });
      const [[body, lastId, more, total, minLoad, maxLoad]] = rows;
      const ids = JSON.parse(body).map((/** @type {{ id: number }} */ { id }) => id);
      return { ids, lastId, more, total: Number(total), loads: [minLoad, maxLoad] };
    };
    const all = (await client.query('SELECT id FROM catalog.products ORDER BY id')).rows.map(({ id }) => id);
    for (const [page, count] of everySize) {
      const before = (page - 1) * count;
      const ids = all.slice(before, before + count);
      const wanted = {
        ids,
        lastId: ids.at(-1) ?? null,
        more: ids.length > 0 && before + count < ROWS,
        total: ROWS,
        loads: [1, 1],
      };
      expect(await counted(0, before, count)).toEqual(wanted);
      if (ids.length > 0) expect(await counted(ids[0], -1, count)).toEqual(wanted);
    }
  });

  test('are in id order whatever plan PostgreSQL chooses', async () => {
    const { client, dsn } = served.catalog;
    await client.query(`ALTER DATABASE ${client.database} SET enable_indexscan = off`);
    const app = await startService({ DATABASE_URL: dsn });
    try {
      for (const start of ['page=1', 'after=1']) {
        const { body } = await request(app.url).get(`/products?${start}&count=4`);
        expect(body.map((/** @type {{ id: number }} */ { id }) => id)).toEqual([1, 2, 3, 4].map(idOf));
      }
    } finally {
      await app.close();
    }
  });

  test('show added and removed products within a second', async () => {
    const changed = served.app.nextVersion();
    await served.catalog.client.query(`BEGIN;
      DELETE FROM catalog.product_documents WHERE id % 7 = 0 OR id BETWEEN 900 AND 1200;
      DELETE FROM catalog.products WHERE id % 7 = 0 OR id BETWEEN 900 AND 1200;
      SELECT catalog_meta.bump_version(); COMMIT`);
    await changed;
    await compare(everySize);
  });

  test('are answered while long ones wait in their own lane, and are not refused with them', async () => {
    const app = await startService({ DATABASE_URL: served.catalog.dsn, PG_BULK_ROWS_IN_FLIGHT: 300 });
    try {
      await served.catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
      const long = fetch(`${app.url}/products?after=1&count=300`);
      await until(() => longListWaits(app.adminUrl));
      // past the end: the counts of the blocks show it
      const short = await fetch(`${app.url}/products?page=2147483647`);
      expect([short.status, await short.text()]).toEqual([200, '[]']);
      await served.catalog.client.query('COMMIT');
      expect((await long).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});

describe('a new load', () => {
  test('is swapped in under reads: no reply fails or mixes two loads, and the new data is served', async () => {
    /** The offset of the ids of each load: rows of one load with blocks of another would be wrong. @type {Record<string, number>} */
    const steps = { old: 3, new: 5, newer: 2 };
    const rows = (/** @type {string} */ name) =>
      `INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
       SELECT i * ${steps[name]}, '${name}', '-', '-', '-', 1 FROM generate_series(1, 700) AS i;
       INSERT INTO {schema}.styles (id, product_id, name, original_price, is_default)
       SELECT i, i * ${steps[name]}, '${name}', 1, true FROM generate_series(1, 700) AS i;
       INSERT INTO {schema}.related (id, product_id, position, related_product_id)
       SELECT i, i * ${steps[name]}, 1, 30 FROM generate_series(1, 700) AS i;`;
    const catalog = await createCatalog(rows('old'));
    const app = await startService({ DATABASE_URL: catalog.dsn });
    try {
      const bad = /** @type {unknown[]} */ ([]);
      const read = async (/** @type {number} */ page, /** @type {number} */ count) => {
        const { status, body } = await request(app.url).get(`/products?page=${page}&count=${count}`);
        const ids = body.map?.((/** @type {{ id: number }} */ { id }) => id);
        const step = steps[body[0]?.name];
        const wanted = Array.from({ length: count }, (_, index) => step * ((page - 1) * count + index + 1));
        if (`${ids}` !== `${wanted}`) bad.push([page, count, status, body[0]?.name, ids]);
        await readIncluded(30 * (2 + (page % 40)), count % 20);
      };
      /** Product, style and card have the name of their load. @param {number} id one of all loads @param {number} count */
      const readIncluded = async (id, count) => {
        const include = 'include=offer,styles,related';
        const lists = [`?ids=${id},${id + 30}&${include}`, `?after=${id}&count=${count + 1}&${include}`];
        for (const path of [`/${id}?${include}`, ...lists]) {
          const { status, text } = await request(app.url).get(`/products${path}`);
          const names = [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
          if (status !== 200 || names.length < 3 || new Set(names).size > 1) bad.push([path, status, text]);
        }
      };
      for (const [name, loadId] of /** @type {const} */ ([
        ['new', 2],
        ['newer', 3],
      ])) {
        let swapped = false;
        const reader = async (/** @type {number} */ seed) => {
          for (let round = seed; !swapped || round < seed + 40; round += 7)
            await read(1 + (round % 7), 60 + (round % 41));
        };
        const changed = app.nextVersion();
        // At least one list has read its blocks before the swap and reads its rows after it. Those of the previous swap have
        // ended: another waiting list would be counted too, and `longListWaits` expects one.
        await read(1, 60);
        const readers = [1, 2, 3].map(reader);
        await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
        readers.push(read(2, 300));
        await until(() => longListWaits(app.adminUrl));
        await catalog.swap(rows(name), loadId);
        await changed;
        swapped = true;
        await Promise.all(readers);
      }
      expect(bad).toEqual([]);
      const { body } = await request(app.url).get('/products?page=2&count=2');
      expect(body.map((/** @type {any} */ { id, name }) => [id, name])).toEqual([
        [6, 'newer'],
        [8, 'newer'],
      ]);
      expect((await request(app.url).get('/products/3')).status).toBe(404);
    } finally {
      await app.close();
      await catalog.drop();
    }
  });
});

describe('a write', () => {
  test('is served at once where it was read before, with a new validator', async () => {
    const catalog = await createCatalog(manyProducts(5));
    const app = await startService({ DATABASE_URL: catalog.dsn });
    try {
      const before = await request(app.url).get('/products/2');
      await request(app.url).get('/products/2');
      const changed = app.nextVersion();
      await catalog.client.query(`BEGIN;
        UPDATE catalog.product_documents SET head = replace(head, 'Product 1', 'Renamed') WHERE id = 2;
        SELECT catalog_meta.bump_version(); COMMIT`);
      await changed;
      const after = await request(app.url).get('/products/2').set('If-None-Match', before.headers.etag);
      expect([after.status, after.body.name]).toEqual([200, 'Renamed']);
    } finally {
      await app.close();
      await catalog.drop();
    }
  });
});

describe('a database without a catalog', () => {
  const unloaded = 'UPDATE catalog_meta.data_version SET version = 0';
  const untabled = 'ALTER SCHEMA catalog_meta RENAME TO later';
  test.each([
    ['a server with empty tables', unloaded, 'SELECT catalog_meta.bump_version(1)', false],
    ['a server without tables', untabled, 'ALTER SCHEMA later RENAME TO catalog_meta', false],
    ['two servers with empty tables', unloaded, 'SELECT catalog_meta.bump_version(1)', true],
    ['two servers without tables', untabled, 'ALTER SCHEMA later RENAME TO catalog_meta', true],
  ])('%s: 503, not ready but "empty", and ready after a load', async (_, empty, load, several) => {
    const catalog = await createCatalog(manyProducts(5));
    await catalog.client.query(empty);
    const { url, forget } = byTwoNames(catalog.dsn);
    const app = await startService({
      DATABASE_URL: several ? url : catalog.dsn,
      VERSION_POLL_MS: 50,
      READY_WAIT_MS: 100,
    });
    try {
      expect((await request(app.url).get('/products/2')).status).toBe(503);
      await until(() => app.service.health().parts.database !== 'down');
      const { status, body } = await request(app.adminUrl).get('/readyz');
      expect([status, body.ready, body.database]).toEqual([503, false, 'empty']);
      const changed = app.nextVersion();
      await catalog.client.query(load);
      await changed;
      expect((await request(app.url).get('/products/2')).status).toBe(200);
    } finally {
      await app.close();
      await catalog.drop();
      forget();
    }
  });
});
