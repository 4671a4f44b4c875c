'use strict';

const { Client } = require('pg');

const { changedSince, readReferences } = require('../../../scripts/k6/references');
const { createCatalog } = require('../../helpers/database');
const { stockedProducts, writesOn } = require('../../helpers/writes');

/** @type {Awaited<ReturnType<typeof createCatalog>>} */
let catalog;
/** It becomes read-only. @type {Client} */
let reader;
beforeAll(async () => {
  catalog = await createCatalog(stockedProducts(12));
  reader = new Client({ connectionString: catalog.dsn });
  await reader.connect();
});
afterAll(async () => {
  await reader?.end();
  await catalog?.drop();
});

test('the digests of correct replies are outdated from the first write or load on', async () => {
  const { rename, restock } = writesOn(catalog.client);
  const { version, references } = await readReferences(reader);
  expect([references.rows, references.products.length]).toEqual([12, 36]);
  expect(await changedSince(version)(reader)).toBe(Infinity);
  const beforeMs = Date.now();
  await restock(2, 5);
  const changedMs = await changedSince(version)(reader);
  expect(changedMs).toBeGreaterThan(beforeMs - 100);
  expect(changedMs).toBeLessThanOrEqual(Date.now());
  await rename(1, 'Other');
  expect(await changedSince(version)(reader)).toBeCloseTo(changedMs, -2);
  const loaded = await readReferences(reader);
  await catalog.client.query('SELECT catalog_meta.bump_version()');
  expect(await changedSince(loaded.version)(reader)).toBeGreaterThan(changedMs);
});

test('a late answer does not move the first change behind the first bodies that differ', async () => {
  const { version } = await readReferences(reader);
  await writesOn(catalog.client).restock(2, 6);
  const askedMs = Date.now();
  let nowMs = askedMs;
  const now = jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
  /** @type {import('../../../scripts/k6/references').Client} */
  const late = {
    query: /** @type {any} */ (
      async (/** @type {string} */ sql, /** @type {unknown[]} */ values) => {
        const reply = await reader.query(sql, values);
        nowMs += 60_000;
        return reply;
      }
    ),
  };
  const changedMs = await changedSince(version)(late).finally(() => now.mockRestore());
  expect(changedMs).toBeLessThanOrEqual(askedMs);
});

test('they are read beside writes, and then are outdated from the start', async () => {
  const { rename } = writesOn(catalog.client);
  let writes = 0;
  /** @type {import('../../../scripts/k6/references').Client} */
  const busy = {
    query: /** @type {any} */ (
      async (/** @type {[string]} */ ...words) => {
        await rename(1, `Name ${(writes += 1)}`);
        return reader.query(...words);
      }
    ),
  };
  const { version, references } = await readReferences(busy);
  expect(references.known).toBe(12);
  expect(writes).toBeGreaterThan(3);
  expect(await changedSince(version)(reader)).toBeLessThan(Infinity);
});
