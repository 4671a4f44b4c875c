'use strict';

const { createRandom } = require('../../scripts/generate/random');
const { startService } = require('../helpers/app');
const { beginExport, linesOf } = require('../helpers/exports');
const { writeRandomly } = require('../helpers/random-writes');
const { applyStock, logStock } = require('../helpers/stock');
const { callerOf, prepareWrites, serveWriter } = require('../helpers/writer');

const SEED = 20261128;
const served = serveWriter();
/** @type {Awaited<ReturnType<typeof startService>>} */
let worker;
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  worker = await startService({ DATABASE_URL: served.catalog.dsn });
  const scopes = ['content', 'history', 'stock'];
  call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'till', scopes }));
});
afterAll(() => worker?.close());

/** @param {string} path @param {string | null} [cursor] of a commit that the reply must have */
async function get(path, cursor) {
  const headers = cursor ? { 'Catalog-Min-Cursor': cursor } : undefined;
  const response = await fetch(worker.url + path, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const SKU_40 =
  String.raw`{"id":40,"product_id":1,"style_id":2,"product":"Camo \"\\\" Onesie","style":"Desert \"\\\" Brown","size":"One Size",` +
  '"quantity":1,"price":"99.995","original_price":"140.00","on_sale":true,"thumbnail_url":"https://x/9s.jpg"}';

describe('a sku', () => {
  test('has the names of its product and style, what the style costs, its stock and first picture', async () => {
    expect((await get('/skus/40')).text).toBe(SKU_40);
    const { body } = await get('/skus/37');
    expect(body).toMatchObject({ size: '7"\\', price: '140.00', on_sale: false, thumbnail_url: 'https://x/8s"\\.jpg' });
  });

  test('has the card of its product if it is included, as a search has it', async () => {
    const { lines } = linesOf(await (await beginExport(worker.url, 'view=card')).rest());
    expect((await get('/skus/40?include=card')).text).toBe(`${SKU_40.slice(0, -1)},"card":${lines[0]}}`);
  });

  test('is an element of a list, in the order asked and with repeats; null is an unknown one', async () => {
    const one = async (/** @type {number} */ id) => (await get(`/skus/${id}`)).text;
    expect((await get('/skus?ids=40,99,37&ids=40')).text).toBe(`[${SKU_40},null,${await one(37)},${SKU_40}]`);
    expect((await get('/skus?ids=99&include=card')).text).toBe('[null]');
  });

  test('that is unknown is a 404 that says in which version of the data', async () => {
    const { status, headers, body } = await get('/skus/99');
    expect([status, body.type, body.detail]).toEqual([
      404,
      'urn:catalog:problem:unknown-sku',
      'There is no sku 99 in the catalog.',
    ]);
    expect(headers.get('catalog-version')).toBe(worker.service.health().parts.version);
  });

  test.each([
    ['/skus', 'Say which skus, by one parameter: ids'],
    ['/skus?ids=', 'Say which skus, by one parameter: ids'],
    ['/skus?ids=37,x', '"x" is not one.'],
    ['/skus?id=37', 'Did you mean "ids"?'],
    ['/skus?ids=37&include=cards', 'Did you mean "card"?'],
    ['/skus/37?include=offer', 'include may be card'],
    ['/skus/037', 'sku_id must be a whole number'],
  ])('asked for by %s is a 400 that says what to change', async (path, detail) => {
    const { status, body } = await get(path);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  test('of a list of 501 is a 400, and of 500 it is not', async () => {
    const { status, body } = await get(`/skus?ids=${Array(501).fill(37)}`);
    expect([status, body.detail]).toEqual([400, 'ids must name 1 to 500 skus, and names 501.']);
    expect((await get(`/skus?ids=${Array(500).fill(37)}&include=card`)).body).toHaveLength(500);
  });

  test('takes the connection of long lists only with more than 200 others', async () => {
    const counted = async () => {
      const text = await (await fetch(`${worker.adminUrl}/metrics`)).text();
      return ['skus', 'long_skus'].map((name) =>
        Number(new RegExp(`^catalog_query_seconds_count{query="${name}"} (\\d+)$`, 'm').exec(text)?.[1] ?? 0),
      );
    };
    const [short, long] = await counted();
    for (const length of [200, 201]) await get(`/skus?ids=${Array.from({ length }, (_, index) => index + 1)}`);
    expect(await counted()).toEqual([short + 1, long + 1]);
  });
});

describe('after a write, a sku with its cursor', () => {
  /** @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
  async function write(method, path, body, headers) {
    const reply = await call(method, path, body, headers);
    if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
    return { ...reply, cursor: reply.headers.get('catalog-cursor') };
  }
  /** @param {number} id @param {string | null} cursor */
  const sku = async (id, cursor) => (await get(`/skus/${id}`, cursor)).body;

  test('has the quantity, also of stock that was only logged, and never one below 0', async () => {
    for (const quantity of [5, 0, 6]) {
      const { cursor } = await write('PUT', '/skus/39/quantity', { quantity, compare: 'none' });
      expect((await get('/skus?ids=39&include=card', cursor)).body[0].quantity).toBe(quantity);
      expect((await sku(39, cursor)).quantity).toBe(quantity);
    }
    await logStock(served.catalog.client, [{ sku: 39, amount: -9, adjusts: true }]);
    const { seq } = await applyStock(served.catalog.client);
    expect((await sku(39, `1.${seq}`)).quantity).toBe(0);
  });

  test('has the names and the price', async () => {
    await sku(37, null);
    const styles = { 1: { name: 'Moss', sale_price: '0' } };
    const { cursor } = await write('PATCH', '/products/1', { name: 'Onesie', styles });
    const now = { product: 'Onesie', style: 'Moss', price: '0.00', original_price: '140.00', on_sale: true };
    expect(await sku(37, cursor)).toMatchObject(now);
    const { body } = await get('/skus?ids=37&include=card', cursor);
    expect(body[0]).toMatchObject({ ...now, card: { name: 'Onesie', offer: { price: '0.00' } } });
  });

  test('is in the style that it moved to', async () => {
    await sku(38, null);
    const styles = { 1: { skus: { 38: null } }, 2: { skus: { 38: { size: 'L' } } } };
    const { cursor } = await write('PATCH', '/products/1', { styles });
    expect(await sku(38, cursor)).toMatchObject({ style_id: 2, size: 'L', quantity: 0, price: '99.995' });
  });

  test('is there from its creation to its deletion, which may be that of its style or product', async () => {
    const style = { name: 'New', original_price: '3', sale_price: null, 'default?': true, photos: [] };
    const product = { name: 'N', slogan: '', description: '', category: '', default_price: '1', features: [] };
    const skus = { 'new-1': { size: 'S', quantity: 2 }, 'new-2': { size: 'M', quantity: 3 } };
    const styles = { 'new-1': { ...style, skus }, 'new-2': { ...style, skus: { new: { size: 'L', quantity: 4 } } } };
    const made = await write('POST', '/products', { ...product, related: [], styles }, { 'Idempotency-Key': 'made' });
    const { id, styles: own } = made.body;
    const [first, second] = Object.keys(own);
    const ids = Object.values(own).flatMap((/** @type {any} */ each) => Object.keys(each.skus).map(Number));
    const found = async (/** @type {string | null} */ cursor) =>
      (await get(`/skus?ids=${ids}`, cursor)).body.map((/** @type {any} */ each) => each && each.quantity);
    expect(await sku(ids[2], made.cursor)).toMatchObject({ product_id: id, price: '3.00', thumbnail_url: null });
    expect(await found(made.cursor)).toEqual([2, 3, 4]);
    const without = { [first]: { skus: { [ids[0]]: null } } };
    expect(await found((await write('PATCH', `/products/${id}`, { styles: without })).cursor)).toEqual([null, 3, 4]);
    const { cursor } = await write('PATCH', `/products/${id}`, { styles: { [second]: null } });
    expect(await found(cursor)).toEqual([null, 3, null]);
    const gone = await write('DELETE', `/products/${id}`, undefined, { 'If-Match': '*' });
    expect(await found(gone.cursor)).toEqual([null, null, null]);
    expect((await get(`/skus/${ids[1]}`, gone.cursor)).status).toBe(404);
  });
});

/** A sku by the styles reply of its product. @param {any} product @param {any} style @param {string} id */
const skuOf = (product, style, id) => ({
  id: Number(id),
  product_id: product.id,
  style_id: style.style_id,
  product: product.name,
  style: style.name,
  ...style.skus[id],
  price: style.sale_price ?? style.original_price,
  original_price: style.original_price,
  on_sale: style.sale_price !== null && Number(style.sale_price) < Number(style.original_price),
  thumbnail_url: style.photos[0].thumbnail_url,
});

test(`after random writes and stock (seed ${SEED}), each sku is what styles and cards say`, async () => {
  const below = createRandom(SEED);
  const kept = { below, ids: [1, 2, 4, 5, 7], kept: 7 };
  const { refused } = await writeRandomly({ call, ...kept, writes: 200, callers: 4, name: 'skus' });
  expect(refused).toBe(0);
  const { client } = served.catalog;
  const { rows } = await client.query('SELECT id FROM catalog.skus ORDER BY id');
  await logStock(client, rows.map(({ id }) => ({ sku: id, amount: below(5) - 1, adjusts: true }))); // prettier-ignore
  const cursor = `1.${(await applyStock(client)).seq}`;

  const products = (await get('/products?count=100&include=offer,styles', cursor)).body;
  /** @type {Map<number, any>} */
  const wanted = new Map();
  for (const product of products)
    for (const style of product.styles)
      for (const id of Object.keys(style.skus)) if (id !== 'null') wanted.set(Number(id), skuOf(product, style, id));
  expect([...wanted.keys()].sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
  expect(wanted.size).toBeGreaterThan(50);

  const last = rows[rows.length - 1].id;
  const ids = [...new Set([...wanted.keys(), 37, 38, ...Array.from({ length: 100 }, (_, index) => last - index)])];
  const { body } = await get(`/skus?ids=${ids}&include=card`, cursor);
  const { lines } = linesOf(await (await beginExport(worker.url, 'view=card')).rest());
  const cards = new Map(lines.map((line) => [JSON.parse(line).id, JSON.parse(line)]));
  const withCard = (/** @type {any} */ sku) => sku && { ...sku, card: cards.get(sku.product_id) };
  expect(body).toEqual(ids.map((id) => withCard(wanted.get(id) ?? null)));
  expect(body).toContain(null);
}, 60_000);

test('a load replaces them, and one of an earlier release says what to do', async () => {
  const rows = `
    INSERT INTO {schema}.products VALUES (3, 'Other', '', '', '', 1);
    INSERT INTO {schema}.styles VALUES (5, 3, 'One', NULL, 2, true);
    INSERT INTO {schema}.skus VALUES (37, 5, 'S', 7)`;
  await Promise.all([worker.nextVersion(), served.catalog.swap(rows, 2)]);
  expect((await get('/skus?ids=37,40')).body).toMatchObject([{ product_id: 3, price: '2.00', quantity: 7 }, null]);
  await served.catalog.client.query('DROP VIEW catalog.sku_replies');
  const { status, headers, body } = await get('/skus?ids=37,38');
  expect([status, headers.get('retry-after'), body.type]).toEqual([503, null, 'urn:catalog:problem:without-skus']);
  expect(body.detail).toContain('npm run etl -- writable');
  expect((await get('/products/3/styles')).status).toBe(200);
});
