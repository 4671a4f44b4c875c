'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { loadCatalog } = require('../../scripts/lib/commands');
const { runOrThrow } = require('../../scripts/lib/run');
const { startService } = require('../helpers/app');
const { request } = require('../helpers/http');
const { loadSample } = require('../helpers/sample');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'reload-'));
/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
const data = path.join(dir, 'sample-usual');
beforeAll(async () => {
  database = await loadSample(dir, 60);
  app = await startService({ DATABASE_URL: database.dsn('api') });
}, 60_000);
afterAll(async () => {
  await app?.close();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

const pages = ['/products?page=1&count=5', '/products?page=2&count=5', '/products?after=20&count=5&include=offer'];
const paths = [
  ...['', '/styles', '/related', '?include=offer,styles,related'].map((tail) => `/products/1${tail}`),
  ...pages,
  '/search?q=green&facets=category',
];

/** @param {string[]} asked @returns {Promise<string[]>} */
const tagsOf = async (asked) =>
  Promise.all(asked.map(async (each) => String((await request(app.url, { path: each })).headers.etag)));

/** @param {string[]} asked @param {string[]} tags @returns {Promise<number[]>} */
const statuses = (asked, tags) =>
  Promise.all(
    asked.map(async (each, index) => {
      const headers = { 'If-None-Match': tags[index] };
      return (await request(app.url, { path: each, headers })).status;
    }),
  );

async function loadAgain() {
  const changed = app.nextVersion();
  const command = [...loadCatalog(data, path.join(dir, 'rejects')), '--again'];
  await runOrThrow(command, { LOADER_DATABASE_URL: database.dsn('loader') });
  await changed;
}

test('after a reload of the same files, a client that has a reply gets 304 for it', async () => {
  const tags = await tagsOf(paths);
  await loadAgain();
  expect(await statuses(paths, tags)).toEqual(paths.map(() => 304));
}, 60_000);

test('a load that changes a price sends again only replies that have the product', async () => {
  const asked = [...paths, '/products/7', '/products/7/styles', '/products/7/related'];
  const tags = await tagsOf(asked);
  const file = path.join(data, 'product.csv');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const changed = lines.findIndex((line) => line.startsWith('7,'));
  lines[changed] = lines[changed].replace(/[^,]*$/, '"77.77"');
  fs.writeFileSync(file, lines.join('\n'));
  await loadAgain();
  // A card of product 7 is among those that are related to product 1.
  const sentAgain = asked.filter((each) => ['/products/7', paths[3], pages[1]].includes(each));
  const now = await statuses(asked, tags);
  expect(asked.filter((_, index) => now[index] !== 304).sort()).toEqual(sentAgain.sort());
  expect((await request(app.url, { path: '/products/7' })).body).toContain('"default_price":"77.77"');
}, 60_000);
