'use strict';

const { Client } = require('pg');

const { readReferences, versionOf } = require('../../../scripts/k6/references');
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

test('the digests of correct replies are outdated after each write, of content or of stock', async () => {
  const { rename, restock } = writesOn(catalog.client);
  const { version, references } = await readReferences(reader);
  expect([references.rows, references.products.length]).toEqual([12, 36]);
  expect(await versionOf(reader)).toBe(version);
  await rename(1, 'Other');
  const renamed = await versionOf(reader);
  await restock(2, 5);
  expect(new Set([version, renamed, await versionOf(reader)]).size).toBe(3);
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
  expect(await versionOf(reader)).not.toBe(version);
});
