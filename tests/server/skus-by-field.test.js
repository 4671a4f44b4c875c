'use strict';

const { startService } = require('../helpers/app');
const { createCatalog, sql } = require('../helpers/database');
const queries = require('../../server/store/queries');

const ROWS = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price) VALUES (1, 'Tee', '', '', 'Shirts', 9);
  INSERT INTO {schema}.styles (id, product_id, name, original_price, is_default) VALUES (1, 1, 'Red', 9, true);
  INSERT INTO {schema}.skus (id, style_id, size, quantity, fields) VALUES
    (3, 1, 'S', 1, '{"code":"AB-1","outlet":true}'), (1, 1, 'M', 2, '{"code":"AB-1","gtin":12.5}'), (2, 1, 'L', 3, '{"code":"a \\"q\\" ü"}'),
    (4, 1, 'XL', 4, '{}');
  INSERT INTO {schema}.skus (id, style_id, size, quantity, fields)
  SELECT id, 1, 'S', 1, '{"code":"many"}' FROM generate_series(1001, 1501) AS id;`;
const field = (/** @type {string} */ type, lookup = true) => ({ type, lookup, facet: false, card: false, sort: false });
const DECLARED = {
  products: {},
  styles: {},
  skus: { code: field('text'), gtin: field('number'), outlet: field('boolean'), note: field('text', false) },
};

/** @type {Awaited<ReturnType<typeof createCatalog>>} */
let catalog;
/** @type {Awaited<ReturnType<typeof startService>>} */
let worker;
beforeAll(async () => {
  catalog = await createCatalog(ROWS);
  await catalog.client
    .query(`INSERT INTO catalog_meta.loads (id, state, fingerprint, directory, campus) OVERRIDING SYSTEM VALUE
    VALUES (1, 'live', '', '', 'hr-lax')`);
  await catalog.client.query('INSERT INTO catalog_meta.declarations VALUES (1, $1)', [JSON.stringify(DECLARED)]);
  worker = await startService({ DATABASE_URL: catalog.dsn });
});
afterAll(async () => {
  await worker?.close();
  await catalog?.drop();
});

/** @param {string} path */
async function get(path) {
  const response = await fetch(worker.url + path);
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}
/** @param {string} query */
const idsOf = async (query) => (await get(`/skus?${query}`)).body.map((/** @type {any} */ { id }) => id);

test.each([
  ['field.code=AB-1', [1, 3]],
  ['field.code=ab-1', []],
  ['field.code=AB-1&field.code=a+%22q%22+%C3%BC&field.code=AB-1', [1, 2, 3]],
  ['field.gtin=12.5', [1]],
  ['field.outlet=true', [3]],
  ['field.outlet=false', []],
  [`field.code=${'x'.repeat(4000)}`, []],
  ['field.code=nothing&ids=', []],
])('skus by %s', async (query, ids) => expect(await idsOf(query)).toEqual(ids));

test('a sku that is found has the bytes of the one by its id, with its fields before its card', async () => {
  for (const more of ['', '&include=card']) {
    const found = await get(`/skus?field.code=AB-1${more}`);
    expect(found.text).toBe((await get(`/skus?ids=1,3${more}`)).text);
  }
  const { text } = await get('/skus/1?include=card');
  expect(text).toContain('"thumbnail_url":null,"fields":{"code":"AB-1","gtin":12.5},"card":{"id":1');
});

test.each([
  ['field.code=AB-1&ids=1', 'by one parameter: ids or field.code or field.gtin or field.outlet'],
  ['field.code=AB-1&field.gtin=1', 'by one parameter'],
  ['field.note=x', 'There is no parameter "field.note" here'],
  ['field.coed=x', 'Did you mean "field.code"?'],
  ['field.code=', 'by one parameter'],
  ['field.code=many', 'More than 500 skus have such a code.'],
  ['field.code=a%00b', 'U+0000'],
])('%s is a 400 that says what to change', async (query, detail) => {
  const { status, body } = await get(`/skus?${query}`);
  expect([status, body.detail]).toEqual([400, expect.stringContaining(detail)]);
});

test('the description that is served has a parameter for each field that is looked up', async () => {
  const { paths, components } = (await get('/openapi.json')).body;
  const { parameters } = paths['/skus'].get;
  expect(parameters.map((/** @type {any} */ { name, $ref }) => name ?? $ref.split('/').at(-1))).toEqual([
    'sku_ids',
    'field.code',
    'field.gtin',
    'field.outlet',
    'sku_include',
    'Catalog-Min-Cursor',
  ]);
  expect(components.parameters).not.toHaveProperty('sku_field');
  expect(components.schemas.SkuItem.required).toContain('fields');
  expect(components.schemas.Sku.required).not.toContain('fields');
});

test('a look-up reads by the key of its field', async () => {
  const { client } = catalog;
  await client.query(sql('lookup_index.sql', 'catalog').replaceAll('{field}', 'code'));
  await client.query(sql('write_indexes.sql', 'catalog').replaceAll('CONCURRENTLY', 'IF NOT EXISTS'));
  await client.query(`INSERT INTO catalog.skus (id, style_id, size, quantity, fields)
    SELECT id, 1, 'S', 1, json_build_object('code', id) FROM generate_series(2001, 6000) AS id; ANALYZE catalog.skus`);
  await client.query("SET plan_cache_mode = 'force_generic_plan'");
  await client.query(`PREPARE by_code (text[], json, int) AS ${queries.skusByField('code').text}`);
  const { rows } = await client.query(`EXPLAIN EXECUTE by_code('{}', '["AB-1"]', 501)`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('skus_by_field_code');
  expect(plan).not.toContain('Seq Scan on skus');
});
