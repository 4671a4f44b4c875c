'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { smallProduct } = require('../../helpers/bulk');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');

const FIRST = 1500000001;
const LAST = 2147483647;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'load-ids-'));
const [files, newer] = ['files', 'newer'].map((name) => path.join(dir, name));
/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @type {ReturnType<typeof import('../../helpers/writer').callerOf>} */
let call;
/** @param {string} name @param {string} [key] */
const make = (name, key = name) => call('POST', '/products', smallProduct(name), { 'Idempotency-Key': key });

beforeAll(async () => {
  await generateFiles(files, 8);
  fs.cpSync(files, newer, { recursive: true });
  for (const id of [FIRST, FIRST + 1, LAST]) add(files, id);
  for (const id of [FIRST, FIRST + 1, FIRST + 2, FIRST + 8, LAST]) add(newer, id);
  loaded = await createLoaded();
  expect(await loaded.load('load', files)).toMatchObject({ status: 0 });
  call = await loaded.serve();
}, 60_000);
afterAll(async () => {
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** Adds a product with one style and one sku of the same id. @param {string} folder @param {number} id */
function add(folder, id) {
  for (const [file, row] of Object.entries({
    product: `${id},"Of the file","s","d","Shoes",5`,
    styles: `${id},${id},"Red",null,5,1`,
    skus: `${id},${id},"M",7`,
    features: `${id},${id},"Fabric","Canvas"`,
  }))
    fs.appendFileSync(path.join(folder, `${file}.csv`), `${row}\n`);
}

/** @returns {Promise<string[]>} the last numbers of the sequences */
async function given() {
  const { rows } = await loaded.client.query(
    "SELECT last_value FROM pg_sequences WHERE schemaname = 'catalog_log' AND sequencename LIKE '%_ids' ORDER BY sequencename",
  );
  return rows.map(({ last_value: last }) => last);
}
const names = async () =>
  Object.fromEntries(
    (await loaded.client.query('SELECT id, name FROM catalog.products WHERE id >= $1', [FIRST])).rows.map(
      ({ id, name }) => [id, name],
    ),
  );

test('a load passes its ids, so that what is new gets others before the keys of writes are built', async () => {
  expect(await given()).toEqual([`${FIRST + 1}`, `${FIRST + 1}`, `${FIRST + 1}`]);
  await loaded.client.query('DROP INDEX catalog.styles_by_id');
  const made = await make('New');
  expect([made.status, made.body.id, Object.keys(made.body.styles)]).toEqual([201, FIRST + 2, [`${FIRST + 2}`]]);
  expect(await loaded.load('writable')).toMatchObject({ status: 0 });
});

test('a product created during a load is not taken for one of the files with its id', async () => {
  const { rows } = await loaded.client.query("SELECT era || '.' || seq AS cursor FROM catalog_log.head");
  const cursor = rows[0].cursor;
  expect(await loaded.load('copy', newer, '--as-of', cursor)).toMatchObject({ status: 0 });
  const made = [];
  for (const name of 'abcdef') made.push((await make(name)).body);
  expect(made.at(-1).id).toBe(FIRST + 8);
  await call('PATCH', `/products/${FIRST + 8}`, { slogan: 'mine' });
  const failed = await loaded.load('load', newer, '--as-of', cursor);
  expect([failed.status, failed.said]).toEqual([1, expect.stringContaining('1 writes cannot be replayed (taken 1)')]);
  expect(await names()).toMatchObject({ [FIRST + 8]: 'f' });
  await call('PATCH', `/products/${FIRST + 8}`, { slogan: 'still mine' });
  const done = await loaded.load('load', newer, '--as-of', cursor, '--max-rejected-writes', '1');
  expect(done).toMatchObject({ status: 0 });
  expect(await names()).toEqual({
    ...{ [FIRST]: 'Of the file', [FIRST + 1]: 'Of the file', [FIRST + 2]: 'Of the file' },
    ...Object.fromEntries(made.map(({ id, name }) => [id, name])),
    ...{ [FIRST + 8]: 'Of the file', [LAST]: 'Of the file' },
  });
  expect((await call('GET', `/products/${FIRST + 8}`)).body.slogan).toBe('s');
  expect((await loaded.load('verify', '--served')).status).toBe(0);
  expect((await make('after')).body.id).toBe(FIRST + 9);
}, 120_000);

test('a catalog of an earlier release gets sequences past its ids by prepare', async () => {
  await loaded.client.query(`
    DROP FUNCTION catalog_log.pass_ids; ALTER TABLE catalog_meta.loads DROP began_seq, DROP as_of_index;
    DELETE FROM catalog_meta.migrations WHERE name = '013_new_ids.sql';
    SELECT setval('catalog_log.product_ids', 1, false)`);
  expect(await loaded.load('prepare')).toMatchObject({ status: 0 });
  expect((await given())[0]).toBe('8'); // most numbers are free between those of the files
});
