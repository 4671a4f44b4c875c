'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { edges } = require('../../../scripts/generate/edges');
const { startService } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/client');
const { loadSample } = require('../../helpers/sample');

const file = path.join(__dirname, '../../../server/client/fixtures.json');
const updates = Boolean(process.env.TEST_UPDATE_FIXTURES);

/** @typedef {{ status: number, headers: Record<string, string>, body: any }} Fixture */
/** @typedef {import('../../../server/client/catalog.js').Catalog} Catalog */

const HEADERS = ['Content-Type', 'Link', 'X-Total-Count', 'Catalog-Version', 'Retry-After'];

/** Values that differ in each load or request, as they were once. @type {[RegExp, string][]} */
const changing = [
  [/"(created_at|updated_at)":"[^"]*"/g, '"$1":"2021-08-13T14:37:33.145Z"'],
  [/urn:request:[^"]*/g, 'urn:request:5f0c2a7e-6f0e-4a50-9d5e-0f3f5c1f8a11'],
];
const VERSION = '1-1795632771975392';

/** A call of each kind, and a page of each edge product. @param {Catalog} catalog */
const calls = (catalog) => [
  () => catalog.products({ count: edges.length, include: ['offer'] }),
  () => catalog.products({ count: 5 }),
  ...edges.map((_, index) => () => catalog.product(index + 1, { include: ['offer', 'styles', 'related'] })),
  () => catalog.styles(1),
  () => catalog.related(1),
  () => catalog.items([8, 7, 999], { include: ['offer'] }),
  () => catalog.sku(1),
  () => catalog.skus([2, 1, 999_999], { include: ['card'] }),
  () => catalog.search(),
  () => catalog.search({ facets: ['category', 'price', 'size', 'on_sale', 'in_stock', 'feature'] }),
  () => catalog.search({ q: 'anorka', facets: ['category', 'price'] }),
  () => catalog.suggest('an'),
  () => catalog.menu(),
  () => catalog.product(999),
  () => catalog.search({ count: 5000 }),
];

/** @param {Catalog} catalog @returns {Promise<unknown[]>} what each call gives, also as an error */
async function results(catalog) {
  const found = [];
  for (const call of calls(catalog)) found.push(await call().catch((/** @type {unknown} */ error) => ({ error })));
  return found;
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'fixtures-'));
/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
beforeAll(async () => {
  database = await loadSample(dir, edges.length);
  app = await startService({ DATABASE_URL: database.dsn('api') });
}, 60_000);
afterAll(async () => {
  await app?.close();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @returns {Promise<Record<string, Fixture>>} by URL */
async function record() {
  /** @type {Record<string, Fixture>} */
  const replies = {};
  /** @param {string} url */
  async function recording(url) {
    const response = await fetch(app.url + url);
    const headers = HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, name === 'Catalog-Version' ? VERSION : value]];
    });
    const text = changing.reduce((changed, [pattern, value]) => changed.replace(pattern, value), await response.text());
    replies[url] = { status: response.status, headers: Object.fromEntries(headers), body: JSON.parse(text) };
    return new Response(text, replies[url]);
  }
  await results(createCatalog({ fetch: recording }));
  return replies;
}

/** One fixture a line, so that a change shows what it changes. @param {Record<string, Fixture>} replies */
const written = (replies) =>
  `{\n${Object.entries(replies)
    .map(([url, reply]) => `${JSON.stringify(url)}:${JSON.stringify(reply)}`)
    .join(',\n')}\n}\n`;

test('the fixtures are what the service replies', async () => {
  const replies = await record();
  if (updates) fs.writeFileSync(file, written(replies));
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(replies);
  expect(fs.statSync(file).size).toBeLessThan(100_000);
});

test('a client on the fixtures gives what one on the service gives', async () => {
  const fixtures = JSON.parse(fs.readFileSync(file, 'utf8'));
  const found = await results(
    createCatalog({ fetch: async (url) => new Response(JSON.stringify(fixtures[url].body), fixtures[url]) }),
  );
  const statuses = found.map((result) => /** @type {any} */ (result).error?.status ?? 200);
  expect(statuses).toEqual([...Array(found.length - 2).fill(200), 404, 400]);
});
