'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { sendBulk } = require('../../helpers/bulk');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'as-of-'));
/** Products with skus. @type {number[]} */
let ids;
/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @typedef {{ seq: string, ids: number[] }} Commit of several products */
/** @type {Commit} */
let content;
/** @type {Commit} */
let stock;

const rowsOf = async (/** @type {string} */ sql) => (await loaded.client.query(sql)).rows;
/** @param {string} list @param {string} kind */
const lastCommit = async (list, kind) =>
  (
    await rowsOf(
      `SELECT seq, ${list} AS ids FROM catalog_log.commits WHERE kind = '${kind}' AND cardinality(${list}) > 2 ORDER BY seq DESC LIMIT 1`,
    )
  )[0];
const names = async () => Object.fromEntries((await rowsOf('SELECT id, name FROM catalog.products')).map(({ id, name }) => [id, name])); // prettier-ignore
/** The quantity of the first sku of each product. */
const quantities = async () =>
  Object.fromEntries(
    (
      await rowsOf(`SELECT DISTINCT ON (product_id) product_id, skus.id, quantity
        FROM catalog.styles JOIN catalog.skus ON style_id = styles.id ORDER BY product_id, skus.id`)
    ).map(({ product_id, id, quantity }) => [product_id, { id, quantity }]),
  );
/** @param {string} cursor */
const load = (cursor) => loaded.load('load', dir, '--again', '--as-of', cursor);
/** @type {Record<number, string>} */
let ofFiles;
/** @type {Record<number, { id: number, quantity: number }>} */
let counted;

beforeAll(async () => {
  await generateFiles(dir, 30);
  loaded = await createLoaded();
  expect(await loaded.load('load', dir)).toMatchObject({ status: 0 });
  [ofFiles, counted] = [await names(), await quantities()];
  ids = Object.keys(counted).map(Number).slice(0, 5);
  const { url, key } = await loaded.serveAt();
  const lines = ids.map((id) => ({ op: 'patch', id, body: { name: `written ${id}` } }));
  expect((await sendBulk(url, key, 'names', lines)).lines.at(-1)).toMatchObject({ done: true, failed: 0 });
  await loaded.stock(...ids.map((id) => ({ sku: counted[id].id, amount: 100, adjusts: true })));
  [content, stock] = [await lastCommit('updated', 'content'), await lastCommit('restocked', 'stock')];
}, 120_000);
afterAll(async () => {
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

test.each([
  ['is not of the form', '9999999999.1', "'9999999999.1' is not a cursor such as 1.4712 or 1.4712.3"],
  ['has too large a number', '1.99999999999999999999', 'is not a cursor'],
  ['has thousands of digits', `1.${'9'.repeat(5000)}`, 'is not a cursor'],
  ['is inside of a commit by a word', '1.2.x', 'is not a cursor'],
  ['names a change that no commit has', '1.3.99999', 'has no such change'],
  ['is of another era', '2147483647.1.0', 'is of another era'],
])('a cursor that %s is refused', async (_, cursor, message) => {
  const { status, said } = await load(cursor);
  expect([status, said]).toEqual([2, expect.stringContaining(message)]);
  expect(said).not.toMatch(/integer|DETAIL|LINE|Traceback/);
});

test('a load as of a change replays the changes after it, also those of its commit', async () => {
  const [read, ...rest] = content.ids;
  expect(await load(`1.${content.seq}.0`)).toMatchObject({ status: 0 });
  const found = await names();
  expect(found[read]).toBe(ofFiles[read]);
  expect(rest.map((id) => found[id])).toEqual(rest.map((id) => `written ${id}`));
  const after = await quantities();
  for (const id of ids) expect([id, after[id].quantity]).toEqual([id, counted[id].quantity + 100]);
}, 120_000);

test('a load as of a change of stock replays only the operations of later products', async () => {
  const [first, second, ...rest] = stock.ids;
  expect(await load(`1.${stock.seq}.1`)).toMatchObject({ status: 0 });
  const after = await quantities();
  for (const id of [first, second]) expect([id, after[id].quantity]).toEqual([id, counted[id].quantity]);
  for (const id of rest) expect([id, after[id].quantity]).toEqual([id, counted[id].quantity + 100]);
  expect(await names()).toEqual(ofFiles);
  expect(await loaded.load('verify', '--served')).toMatchObject({ status: 0 });
}, 120_000);

test('a load as of the last change of a commit replays what comes after the commit', async () => {
  expect(await load(`1.${stock.seq}.${stock.ids.length - 1}`)).toMatchObject({ status: 0 });
  for (const [id, { quantity }] of Object.entries(await quantities())) expect([id, quantity]).toEqual([id, counted[Number(id)].quantity]); // prettier-ignore
}, 120_000);

test('a load as of an earlier cursor than that of the served files replays the writes between', async () => {
  expect(await load(`1.${content.seq}.0`)).toMatchObject({ status: 0 });
  const [found, after] = [await names(), await quantities()];
  expect(content.ids.slice(1).map((id) => found[id])).toEqual(content.ids.slice(1).map((id) => `written ${id}`));
  for (const id of ids) expect([id, after[id].quantity]).toEqual([id, counted[id].quantity + 100]);
}, 120_000);
