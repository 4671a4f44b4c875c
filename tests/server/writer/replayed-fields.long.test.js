'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createLoaded } = require('../../helpers/loaded-writer');

const LONG = '12345678901234567890.5';
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'replayed-fields-'));
/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @type {Awaited<ReturnType<typeof loaded.serve>>} */
let call;

/** @param {object | null} fields fields.json @param {string} brand that the files have for product 3 */
function writeFiles(fields, brand) {
  /** @type {Record<string, string>} */
  const files = {
    product: `id,name,slogan,description,category,default_price,brand,vegan,launched,weight,material
1,"One","s","d","Hats",1,Acme,true,2026-01-01,1.5,wool
2,"Two","s","d","Hats",2,Acme,,,,
3,"Three","s","d","Hats",3,${brand},,,,felt
`,
    styles: 'id,productId,name,sale_price,original_price,default_style,shade\n1,1,"Red",null,1,1,dark\n',
    skus: 'id,styleId,size,quantity,ean,parts\n1,1,"S",5,A,x|y\n2,1,"M",6,,\n',
    photos: 'id,styleId,url,thumbnail_url\n',
    features: 'id,product_id,feature,value\n',
    related: 'id,current_product_id,related_product_id\n',
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, `${name}.csv`), text);
  if (fields) fs.writeFileSync(path.join(dir, 'fields.json'), JSON.stringify(fields));
  else fs.rmSync(path.join(dir, 'fields.json'));
}

const text = { type: 'text' };
const FIRST = {
  products: { brand: text, vegan: { type: 'boolean' }, launched: { type: 'date' }, weight: { type: 'number' } },
  styles: { shade: text },
  skus: { ean: text, parts: { type: 'list' } },
};
/** It lacks vegan and shade, has another type of launched and ean, and declares material. */
const SECOND = {
  products: { material: text, launched: text, weight: { type: 'number' }, brand: text },
  skus: { parts: { type: 'list' }, ean: { type: 'list' } },
};

/** @returns {Promise<Record<string, string | null>>} the fields of all rows, as the tables have them */
async function stored() {
  const { rows } = await loaded.client.query(`
    SELECT 'p' || id AS row, fields::text FROM catalog.products UNION ALL
    SELECT 's' || id, fields::text FROM catalog.styles UNION ALL
    SELECT 'k' || id, fields::text FROM catalog.skus ORDER BY 1`);
  return Object.fromEntries(rows.map(({ row, fields }) => [row.replace(/15000000(\d\d)/, 'new$1'), fields]));
}
/** @param {number} load @returns {Promise<[reason: string, product: number, path: string][]>} what its replay rejected */
async function rejected(load) {
  const { rows } = await loaded.client.query(
    'SELECT reason, product_id, path FROM catalog_meta.rejected_writes WHERE load_id = $1 ORDER BY product_id, path',
    [load],
  );
  return rows.map(({ reason, product_id: id, path: at }) => [reason, id > 1e9 ? 0 : id, at.replace(/15000000(\d\d)/, 'new$1')]); // prettier-ignore
}

beforeAll(async () => {
  writeFiles(FIRST, 'Old');
  loaded = await createLoaded();
  expect(await loaded.load('load', dir)).toMatchObject({ status: 0 });
  call = await loaded.serve();
}, 120_000);
afterAll(async () => {
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

test('a replay keeps the fields that both loads declare, and rejects the others one by one', async () => {
  const { headers } = await call('GET', '/products/1');
  const fields = `{"brand":"Own","vegan":false,"launched":"2026-05-05","weight":${LONG}}`;
  const styles = '{"1":{"fields":{"shade":"light"},"skus":{"1":{"fields":{"ean":"B","parts":["z"]}}}}}';
  const writes = [
    await call('PATCH', '/products/1', `{"name":"Written","fields":${fields},"styles":${styles}}`),
    await call('PATCH', '/products/2', { fields: { brand: null } }),
    await call('PATCH', '/products/3', { fields: { brand: 'Own' } }),
  ];
  const { fields: _, ...other } = writes[1].body;
  for (const name of ['id', 'campus', 'created_at', 'updated_at']) delete other[name];
  const made = { ...other, name: 'Made', fields: { brand: 'New', vegan: true } };
  writes.push(await call('POST', '/products', made, { 'Idempotency-Key': 'made' }));
  expect(writes.map(({ status }) => status)).toEqual([200, 200, 200, 201]);

  writeFiles(SECOND, 'Other');
  const cursor = String(headers.get('catalog-cursor'));
  const refused = await loaded.load('load', dir, '--as-of', cursor, '--max-rejected-writes', '0');
  expect([refused.status, refused.said]).toEqual([1, expect.stringContaining('unknown-field 5')]);
  expect(await loaded.load('load', dir, '--as-of', cursor, '--max-rejected-writes', '5')).toMatchObject({ status: 0 });
  expect(await stored()).toEqual({
    p1: `{"material":"wool","launched":"2026-01-01","weight":${LONG},"brand":"Own"}`,
    p2: '{}',
    p3: '{"material":"felt","brand":"Own"}',
    pnew01: '{"brand":"New"}',
    s1: null,
    k1: '{"parts":["z"],"ean":["A"]}',
    k2: '{}',
  });
  const { rows } = await loaded.client.query("SELECT id FROM catalog_meta.loads WHERE state = 'live'");
  expect(await rejected(rows[0].id)).toEqual([
    ['unknown-field', 1, '/fields/launched'],
    ['unknown-field', 1, '/fields/vegan'],
    ['unknown-field', 1, '/styles/1/fields/shade'],
    ['unknown-field', 1, '/styles/1/skus/1/fields/ean'],
    ['unknown-field', 0, '/fields/vegan'],
  ]);
  expect((await call('GET', '/products/1')).body).toMatchObject({ name: 'Written', fields: { brand: 'Own' } });
  expect(await loaded.load('verify', '--served')).toMatchObject({ status: 0 });
}, 240_000);

test('a replay onto a load without fields keeps the rest of a write', async () => {
  const { headers } = await call('GET', '/products/1');
  await call('PATCH', '/products/3', { slogan: 'Written', fields: { brand: 'Again' } });
  writeFiles(null, 'Other');
  const cursor = String(headers.get('catalog-cursor'));
  expect(await loaded.load('load', dir, '--as-of', cursor, '--max-rejected-writes', '1')).toMatchObject({ status: 0 });
  const { body } = await call('GET', '/products/3');
  expect([body.slogan, 'fields' in body]).toEqual(['Written', false]);
  expect(new Set(Object.values(await stored()))).toEqual(new Set([null]));
  expect(await loaded.load('verify', '--served')).toMatchObject({ status: 0 });
}, 240_000);
