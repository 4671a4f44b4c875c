'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startService, until } = require('../../helpers/app');
const { requestJson } = require('../../helpers/http');
const { sendBulk } = require('../../helpers/bulk');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, prepareWrites } = require('../../helpers/writer');

const PRODUCTS = 400;
/** Words that no other product has: those of all products are more than the memory for writes holds. */
const WORDS = 60;
const HIDDEN = 60;
const TOTAL = '/search?count=1&facets=category,size,in_stock';

/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {ReturnType<typeof startWorker>} */
let writer;
/** @type {ReturnType<typeof callerOf>} */
let call;
let [dir, key, url] = ['', '', ''];

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hidden-many-'));
  loaded = await createLoaded();
  await generateFiles(dir, PRODUCTS);
  expect((await loaded.load('load', dir)).status).toBe(0);
  key = await prepareWrites(loaded);
  app = await startService({ DATABASE_URL: loaded.apiDsn, VERSION_POLL_MS: 50 });
  const ports = { WRITE_PORT: await freePort(), WRITE_ADMIN_PORT: await freePort() };
  writer = startWorker({ ...ports, WRITE_DATABASE_URL: loaded.writerDsn, LOG_LEVEL: 'warn' }, 'writer/index.js');
  await once(writer.child, 'message');
  url = `http://127.0.0.1:${ports.WRITE_PORT}`;
  call = callerOf(url, key);
}, 120_000);
afterAll(async () => {
  writer?.child.kill('SIGKILL');
  await app?.close();
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @param {string} target */
const get = async (target) => (await requestJson(app.url, target)).body;

/** @param {number[]} ids @param {'hide' | 'publish'} kind */
async function each(ids, kind) {
  for (const id of ids) expect((await call('POST', `/products/${id}/${kind}`)).status).toBe(200);
}

/** Patches all products, so that searches stay at the state of before. @param {number[]} ids */
async function fill(ids) {
  const text = (/** @type {number} */ id) => Array.from({ length: WORDS }, (_, at) => `own${id}x${at}`).join(' ');
  const lines = ids.map((id) => ({ op: 'patch', id, body: { description: text(id) } }));
  const { status, lines: answers } = await sendBulk(url, key, 'fill', lines);
  expect([status, answers.filter((line) => line.status === 200).length]).toEqual([200, ids.length]);
  await until(() => app.counts.searchFull === 1);
}

test('hidden products leave searches while writes do not fit the memory, and come back', async () => {
  const ids = (await loaded.client.query('SELECT id FROM catalog.products ORDER BY id')).rows.map(({ id }) => id);
  const { rows } = await loaded.client.query('SELECT min(name) AS name FROM catalog.products GROUP BY category');
  const before = await get(TOTAL);
  expect(before.total).toBe(ids.length);
  await fill(ids);
  const [hidden, shown] = [ids.slice(0, HIDDEN), ids.slice(HIDDEN)];

  await each(hidden, 'hide');
  await until(async () => (await get(TOTAL)).total === shown.length);
  const all = await get(`/search?count=${shown.length}&facets=category&facet_values=100`);
  const found = all.items.map((/** @type {{ id: number }} */ { id }) => id);
  expect(new Set(found)).toEqual(new Set(shown));
  const [{ values, more }] = all.facets;
  const counts = values.map((/** @type {{ count: number }} */ { count }) => count);
  expect(more).toBe(0);
  expect(counts.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count, 0)).toBe(shown.length);
  expect((await get('/catalog')).products).toBe(shown.length);
  for (const { name } of rows) {
    const { cards } = await get(`/suggest?q=${encodeURIComponent(name.slice(0, 3))}`);
    expect(cards.filter((/** @type {{ id: number }} */ { id }) => !shown.includes(id))).toEqual([]);
  }

  await each(hidden, 'publish');
  await until(async () => (await get(TOTAL)).total === ids.length);
  expect(app.counts.searchFull).toBe(1);
}, 120_000);
