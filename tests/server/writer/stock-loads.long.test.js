'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { until } = require('../../helpers/app');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');
const { logStock } = require('../../helpers/stock');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'stock-loads-'));
/** Each folder has other quantities than the one before. The second one lacks the last of `skus`. */
const [first, second, third] = ['first', 'second', 'third'].map((name) => path.join(dir, name));
const MORE = 100;

/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @type {ReturnType<typeof import('../../helpers/writer').callerOf>} */
let call;
/** Skus of the files. @type {number[]} */
let skus;
/** Their quantities in the first folder. @type {number[]} */
let were;

const SKUS = 9;
/** @param {string} lines */
const lastSku = (lines) =>
  [...lines.matchAll(/^"?(\d+)/gm)].map(([, id]) => Number(id)).sort((one, other) => one - other)[SKUS - 1];

beforeAll(async () => {
  await generateFiles(first, 20);
  for (const [from, to] of [
    [first, second],
    [second, third],
  ]) {
    fs.cpSync(from, to, { recursive: true });
    const lines = fs.readFileSync(path.join(from, 'skus.csv'), 'utf8');
    const more = lines.replace(/(?<=,"?)\d+(?="?$)/gm, (quantity) => `${Number(quantity) + MORE}`);
    const fewer = more.replace(to === second ? new RegExp(`^"?${lastSku(lines)}"?,.*\n`, 'm') : '', '');
    fs.writeFileSync(path.join(to, 'skus.csv'), fewer);
  }
});
beforeEach(async () => {
  loaded = await createLoaded();
  expect(await loaded.load('load', first)).toMatchObject({ status: 0 });
  call = await loaded.serve(['stock', 'content']);
  const { rows } = await loaded.client.query(`SELECT id, quantity FROM catalog.skus ORDER BY id LIMIT ${SKUS}`);
  skus = rows.map(({ id }) => id);
  were = rows.map(({ quantity }) => quantity);
});
afterEach(() => loaded.drop());
afterAll(() => fs.rmSync(dir, { recursive: true }));

const quantities = async () => {
  const { rows } = await loaded.client.query('SELECT quantity FROM catalog.skus WHERE id = ANY ($1) ORDER BY id', [
    skus,
  ]);
  return rows.map(({ quantity }) => quantity);
};
let keys = 0;
/** @param {object} body @returns {Promise<string>} the cursor of the reply */
async function post(body) {
  const reply = await call(
    'POST',
    '/stock',
    { compare: 'none', ...body },
    { 'Idempotency-Key': `load-${(keys += 1)}` },
  );
  expect([reply.status, reply.body.rejected]).toEqual([200, []]);
  return String(reply.headers.get('catalog-cursor'));
}
/** As it was, to the quantity that it has. @param {number} place */
const setSame = (place) => post({ set: [[skus[place], were[place]]] });
/** Up and down again. @param {number} place */
const adjustBack = (place) => post({ adjust: [[skus[place], 2], [skus[place], -2]] }); // prettier-ignore
/** As a writer of an earlier release does, without a commit. @param {number} place */
async function setSameUnnamed(place) {
  await loaded.client.query('BEGIN');
  await logStock(loaded.client, [{ sku: skus[place], amount: were[place] }]);
  await loaded.client.query('UPDATE catalog_log.stock_applied SET pos = head.pos FROM catalog_log.stock_head AS head');
  await loaded.client.query('COMMIT');
}
/** @returns {Promise<string>} the cursor of a write of content */
const patch = async () =>
  String((await call('PATCH', '/products/1', { name: `${(keys += 1)}` })).headers.get('catalog-cursor'));

test('an operation is replayed if it is after the cursor, whether it changed something or not', async () => {
  await setSame(0);
  await post({ set: [[skus[1], 7]] });
  await adjustBack(2);
  const cursor = await setSame(3);
  await setSame(4);
  await adjustBack(5);
  await post({ set: [[skus[6], 7]] });
  await setSame(7);
  expect(await loaded.load('load', second, '--as-of', cursor)).toMatchObject({ status: 0 });
  expect(await quantities()).toEqual([
    ...were.slice(0, 4).map((was) => was + MORE),
    ...[were[4], were[5] + MORE, 7, were[7]],
  ]);
  expect((await loaded.load('verify', '--served')).status).toBe(0);
}, 120_000);

test('so is one that a writer of an earlier release gave no commit', async () => {
  await setSameUnnamed(0);
  const cursor = await patch();
  await setSameUnnamed(1);
  await patch();
  await setSameUnnamed(2);
  await setSameUnnamed(SKUS - 1);
  const done = await loaded.load('load', second, '--as-of', cursor, '--max-rejected-writes', '1');
  expect([done.status, done.said]).toEqual([0, expect.stringContaining(' and 3 operations of stock, 1 rejected')]);
  expect((await quantities()).slice(0, 4)).toEqual([were[0] + MORE, were[1], were[2], were[3] + MORE]);
}, 120_000);

test.each([
  ['with a commit', setSame],
  ['without one', setSameUnnamed],
])(
  'an operation of two catalogs ago is not replayed, %s',
  async (_, set) => {
    await set(0);
    expect(await loaded.load('load', second, '--drop-writes')).toMatchObject({ status: 0 });
    const cursor = await patch();
    await post({ set: [[skus[1], 7]] });
    expect(await loaded.load('load', third, '--as-of', cursor)).toMatchObject({ status: 0 });
    expect((await quantities()).slice(0, 2)).toEqual([were[0] + 2 * MORE, 7]);
  },
  120_000,
);

test('operations that were refused let the next load and unswap pass, others do not', async () => {
  const refused = { set: [[skus[0], 1, 99_999], [999_999_999, 1, 1]] }; // prettier-ignore
  const refuse = async () => expect((await call('POST', '/stock', refused)).body.rejected.length).toBe(2);
  await refuse();
  await refuse();
  expect(await loaded.load('load', second)).toMatchObject({ status: 0 });
  await refuse();
  expect(await loaded.load('unswap')).toMatchObject({ status: 0 });
  await refuse();
  await setSame(1);
  for (const words of [['unswap'], ['load', third]]) {
    const { status, said } = await loaded.load(...words);
    expect([status, said]).toEqual([2, expect.stringContaining('0 products and 1 operation of stock were written')]);
  }
}, 120_000);

test('a snapshot that is open at the end of a load holds up neither stock nor deletions', async () => {
  const dump = new Client({ connectionString: loaded.superuserDsn });
  await dump.connect();
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM catalog.skus');
  const loading = loaded.load('load', second);
  const isServed = "SELECT FROM catalog_meta.loads WHERE id = 2 AND state = 'live'";
  await until(async () => (await loaded.client.query(isServed)).rowCount === 1);
  await post({ set: [[skus[0], 5]] });
  expect((await call('DELETE', '/products/2', undefined, { 'If-Match': '*' })).status).toBe(204);
  expect(await loading).toMatchObject({ status: 0 });
  expect((await quantities())[0]).toBe(5);
  expect((await dump.query('SELECT quantity FROM catalog.skus WHERE id = $1', [skus[0]])).rows).toEqual([]);
  await dump.end();
}, 120_000);
