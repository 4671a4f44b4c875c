'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

const { createRandom } = require('../../../scripts/generate/random');
const { until } = require('../../helpers/app');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');

const PRODUCTS = 3000;
const below = createRandom(20261128);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'upsert-killed-'));
const [files, part] = ['files', 'part'].map((name) => path.join(dir, name));
/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;

/** @param {string} query @returns {Promise<any[]>} */
const rowsOf = async (query) => (await loaded.client.query(query)).rows;

/** Products and quantities, or -1 before there is a plan. */
async function writesDone() {
  const [{ planned, products, quantities }] = await rowsOf(`
    SELECT to_regnamespace('catalog_upsert') IS NOT NULL AS planned,
           (SELECT count(*)::int FROM catalog_log.revisions WHERE kind = 'update') AS products,
           (SELECT coalesce(sum(cardinality(skus)), 0)::int FROM catalog_log.stock_log) AS quantities`);
  return planned ? products + quantities : -1;
}

beforeAll(async () => {
  loaded = await createLoaded();
  await generateFiles(files, PRODUCTS);
  expect((await loaded.load('load', files)).status).toBe(0);
  await loaded.serveAt(['content', 'stock']);
  fs.mkdirSync(part);
  const [products, skus] = [
    await rowsOf('SELECT id FROM catalog.products'),
    await rowsOf('SELECT id FROM catalog.skus'),
  ];
  const write = (/** @type {string} */ name, /** @type {string[]} */ rows) =>
    fs.writeFileSync(path.join(part, name), `${rows.join('\n')}\n`);
  write('product.csv', ['id,name', ...products.map(({ id }) => `${id},"Part ${id}"`)]);
  write('quantities.csv', ['sku_id,quantity', ...skus.map(({ id }) => `${id},${1000 + below(1000)}`)]);
}, 300_000);
afterAll(async () => {
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

test('killed at any moment, the same command does each write once', async () => {
  const skus = await rowsOf('SELECT count(*)::int AS count FROM catalog.skus');
  const moments = Array.from({ length: 12 }, () => below(PRODUCTS + skus[0].count)).sort((a, b) => a - b);
  let kills = 0;
  for (let status = null; status !== 0;) {
    const running = loaded.start('upsert', part);
    const closed = once(running, 'close');
    running.stderr.resume();
    const moment = kills === 0 ? 0 : (moments[kills - 1] ?? Infinity);
    await until(async () => running.exitCode !== null || (await writesDone()) >= moment);
    await Promise.race([closed, pause(below(700))]);
    if (running.kill('SIGKILL')) kills += 1;
    [status] = await closed;
  }
  expect(kills).toBeGreaterThan(5);
  expect(
    await rowsOf(
      "SELECT revision, count(*)::int AS count FROM catalog_log.revisions WHERE kind = 'update' GROUP BY revision",
    ),
  ).toEqual([{ revision: 2, count: PRODUCTS }]);
  expect(await rowsOf('SELECT sum(cardinality(skus))::int AS count FROM catalog_log.stock_log')).toEqual(skus);
  const wanted = new Map(
    fs
      .readFileSync(path.join(part, 'quantities.csv'), 'utf8')
      .split('\n')
      .slice(1, -1)
      .map((line) => /** @type {[number, number]} */ (line.split(',').map(Number))),
  );
  expect(
    new Map((await rowsOf('SELECT id, quantity FROM catalog.skus')).map(({ id, quantity }) => [id, quantity])),
  ).toEqual(wanted);
  expect(await rowsOf("SELECT to_regnamespace('catalog_upsert') AS left")).toEqual([{ left: null }]);
}, 900_000);
