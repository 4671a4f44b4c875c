'use strict';

const { fillSchema } = require('../../helpers/database');
const {
  applyStock,
  beginApply,
  buildStale,
  createWritableCatalog,
  enterGate,
  lockProducts,
  logStock,
  readIncluded,
  readStyles,
  rebuild,
  untilBlocked,
} = require('../../helpers/stock');

const rowsOfProducts = (/** @type {number} */ count, /** @type {string} */ quantity) => `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT id, 'Product ' || id, '-', '-', 'Shoes', id FROM generate_series(1, ${count}) AS id;
  INSERT INTO {schema}.styles (id, product_id, name, sale_price, original_price, is_default)
  SELECT id, id, 'Style "', NULL, id, true FROM generate_series(1, ${count}) AS id;
  INSERT INTO {schema}.photos (id, style_id, position, url, thumbnail_url)
  SELECT id, id, id, 'https://x/' || id, 'https://t/' || id FROM generate_series(1, ${count}) AS id;
  INSERT INTO {schema}.skus (id, style_id, size, quantity)
  SELECT id, 1 + id % ${count}, (id / ${count})::text, ${quantity} FROM generate_series(1, ${3 * count}) AS sku (id);`;

/** @type {Awaited<ReturnType<typeof createWritableCatalog>>} */
let catalog;
/** @type {import('pg').Client} */
let writer;
/** @type {import('pg').Client} */
let api;

beforeAll(async () => {
  catalog = await createWritableCatalog(rowsOfProducts(40, '5'));
  writer = await catalog.connect('catalog_writer');
  api = await catalog.connect('catalog_api');
});
afterAll(() => catalog.drop());

/** @param {string} text @param {any[]} [values] @returns {Promise<any[]>} */
const rowsOf = async (text, values) => (await catalog.client.query({ text, values, rowMode: 'array' })).rows;
const stored = async (/** @type {number} */ id) =>
  (await rowsOf('SELECT body FROM catalog.styles_documents WHERE id = $1', [id]))[0][0];
const card = async (/** @type {number} */ id) =>
  (await rowsOf('SELECT offer FROM catalog.cards WHERE id = $1', [id]))[0][0];
/** @param {number} id @param {number} sku */
const quantityRead = async (id, sku) => {
  const { results } = JSON.parse(await readStyles(api, id));
  expect((await readIncluded(api, id)).styles).toEqual(results);
  return results[0].skus[sku].quantity;
};
/** Product ID has the skus ID - 1 (but 0), ID + 39 and ID + 79. */
const skuOf = (/** @type {number} */ id) => id + 39;

/** A write of content, up to what makes the documents. @param {import('pg').Client} client @param {number} id */
async function beginContent(client, id) {
  await client.query('BEGIN');
  await client.query(enterGate);
  await lockProducts(client, [id]);
  const { seq } = (await client.query('SELECT seq FROM catalog_log.head')).rows[0];
  await client.query('UPDATE catalog.products SET name = name || $2 WHERE id = $1', [id, '!']);
  const changes = await rebuild(client, [id]);
  expect(changes).toMatchObject([{ id, kind: 'updated' }]);
  return seq;
}

/** @param {import('pg').Client} client @param {number} id @param {string | null} seen */
async function commitContent(client, id, seen) {
  await client.query("SELECT catalog_log.append('content', 1, updated => $1, cards => $1, seen => $2)", [[id], seen]);
  await client.query('COMMIT');
}

const isStale = async (/** @type {number} */ id) =>
  (await rowsOf('SELECT styles_seq > built_seq FROM catalog.product_state WHERE id = $1', [id]))[0][0];

test('a restocked product is read from its rows until its reply is built', async () => {
  const before = await stored(2);
  await logStock(writer, [{ sku: skuOf(2), amount: 3 }]);
  expect(await quantityRead(2, skuOf(2))).toBe(5);
  await applyStock(writer);
  expect([await quantityRead(2, skuOf(2)), await stored(2)]).toEqual([3, before]);
  const live = await readStyles(api, 2);
  expect(await buildStale(writer)).toEqual([2]);
  expect(await stored(2)).toBe(live);
  expect(await readStyles(api, 2)).toBe(live);
  expect(await buildStale(writer)).toEqual([]);
});

test('a quantity below 0 is shown as 0 and compared as 0', async () => {
  await logStock(writer, [{ sku: skuOf(3), amount: -7, adjusts: true }]);
  await applyStock(writer);
  expect(await quantityRead(3, skuOf(3))).toBe(0);
  await logStock(writer, [{ sku: skuOf(3), amount: 2, adjusts: true, expected: 0 }]);
  await applyStock(writer);
  expect(await rowsOf('SELECT quantity FROM catalog.skus WHERE id = $1', [skuOf(3)])).toEqual([[0]]);
});

test('a sku that goes out of stock and comes back changes the card at once', async () => {
  expect(await card(4)).toContain('"in_stock":true');
  await logStock(
    writer,
    [3, 43, 83].map((sku) => ({ sku, amount: 0 })),
  );
  expect(await applyStock(writer)).toMatchObject({ restocked: [4], crossed: [4] });
  expect(await card(4)).toContain('"in_stock":false');
  expect(await isStale(4)).toBe(false); // its reply was made with the card
  await logStock(writer, [{ sku: 43, amount: 1 }]);
  await applyStock(writer);
  expect(await card(4)).toContain('"in_stock":true,"sizes":["1"]');
  expect(await readStyles(api, 4)).toBe(await stored(4));
});

test('after any writes, stale replies, built ones and those of a fresh load are the same', async () => {
  for (let round = 0; round < 5; round++) {
    const operations = Array.from({ length: 60 }, (_, place) => ({
      sku: 1 + ((place * 37 + round * 11) % 120),
      amount: ((place * 7 + round) % 9) - 4,
      adjusts: place % 3 > 0,
    }));
    await logStock(
      writer,
      operations.map((each) => (each.adjusts ? each : { ...each, amount: Math.abs(each.amount) })),
    );
    await applyStock(writer);
    if (round === 2) await buildStale(writer);
  }
  const readAll = async () => {
    const read = [];
    for (let id = 1; id <= 40; id++) read.push([await readStyles(api, id)]);
    return read;
  };
  const read = await readAll();
  await buildStale(writer);
  const bodies = 'SELECT body FROM %.styles_documents ORDER BY id';
  expect(await rowsOf(bodies.replace('%', 'catalog'))).toEqual(read);
  expect(await readAll()).toEqual(read);
  await fillSchema(
    catalog.client,
    'fresh',
    rowsOfProducts(40, '(SELECT quantity FROM catalog.skus WHERE skus.id = sku.id)'),
    1,
  );
  expect(await rowsOf(bodies.replace('%', 'fresh'))).toEqual(read);
  const offers = 'SELECT offer FROM %.cards ORDER BY id';
  expect(await rowsOf(offers.replace('%', 'catalog'))).toEqual(await rowsOf(offers.replace('%', 'fresh')));
});

test('a reply that content was written into does not hide stock that was applied meanwhile', async () => {
  const content = await catalog.connect('catalog_writer');
  const seen = await beginContent(content, 5); // its reply is made without the stock below
  await logStock(writer, [{ sku: skuOf(5), amount: 77 }]);
  await applyStock(writer);
  await commitContent(content, 5, seen);
  expect([await isStale(5), await quantityRead(5, skuOf(5))]).toEqual([true, 77]);
});

test('a reply that content was written into is not stale, even if it was before', async () => {
  for (const amount of [60, 66]) {
    await logStock(writer, [{ sku: skuOf(6), amount }]);
    await applyStock(writer);
  }
  expect(await isStale(6)).toBe(true);
  await commitContent(writer, 6, await beginContent(writer, 6));
  expect([await isStale(6), await readStyles(api, 6)]).toEqual([false, await stored(6)]);
});

test('without the number of the commit that was seen, a reply stays stale', async () => {
  await beginContent(writer, 7);
  await commitContent(writer, 7, null);
  expect(await isStale(7)).toBe(true);
});

test('stock that makes a card waits for a write of the content and keeps it', async () => {
  const content = await catalog.connect('catalog_writer');
  const seen = await beginContent(content, 8);
  await logStock(writer, [{ sku: skuOf(8), amount: 0 }]);
  const applying = applyStock(writer);
  await untilBlocked(catalog.client);
  await commitContent(content, 8, seen);
  expect(await applying).toMatchObject({ crossed: [8] });
  const [[head]] = await rowsOf('SELECT head FROM catalog.cards WHERE id = 8');
  expect([head, await card(8)]).toEqual([
    expect.stringContaining('"name":"Product 8!"'),
    expect.stringContaining('"sizes":["0","2"]'),
  ]);
});

test('a build does not hide stock that was applied meanwhile', async () => {
  await logStock(writer, [{ sku: skuOf(9), amount: 1 }]);
  await applyStock(writer);
  const builder = await catalog.connect('catalog_writer');
  const build = builder.query.bind(builder);
  /** @type {any} */ (builder).query = async (/** @type {any} */ text, /** @type {any} */ values) => {
    if (String(text).includes('SET built_seq')) {
      await logStock(writer, [{ sku: skuOf(9), amount: 2 }]);
      await applyStock(writer);
    }
    return build(text, values);
  };
  expect(await buildStale(builder)).toContain(9);
  expect([await isStale(9), await quantityRead(9, skuOf(9))]).toEqual([true, 2]);
});

test('operations on what is deleted before they are applied are rejected', async () => {
  const pos = await logStock(writer, [
    { sku: skuOf(10), amount: 1 },
    { sku: skuOf(11), amount: 1 },
    { sku: skuOf(12), amount: 1 },
  ]);
  await catalog.client.query(`
    DELETE FROM catalog.skus WHERE id = ${skuOf(10)} OR style_id = 11;
    DELETE FROM catalog.styles WHERE id = 11; DELETE FROM catalog.products WHERE id = 11`);
  expect(await applyStock(writer)).toMatchObject({ restocked: [12] });
  expect(
    await rowsOf('SELECT pos::int, sku, reason FROM catalog_log.stock_rejects WHERE pos > $1 - 3 ORDER BY pos', [pos]),
  ).toEqual([
    [pos - 2, skuOf(10), 'unknown-sku'],
    [pos - 1, skuOf(11), 'unknown-sku'],
  ]);
});

test('a sku that is deleted while it is applied is no error', async () => {
  const content = await catalog.connect('catalog_writer');
  await logStock(writer, [{ sku: skuOf(13), amount: 1 }]);
  await content.query('BEGIN');
  await content.query('DELETE FROM catalog.skus WHERE id = $1', [skuOf(13)]);
  const applying = beginApply(writer);
  await untilBlocked(catalog.client);
  await content.query('COMMIT');
  expect(await applying).toMatchObject({ operations: 1, restocked: [] });
  await writer.query('COMMIT');
});

test('the API reads stale replies and none of their rows', async () => {
  await expect(api.query('SELECT FROM catalog.skus')).rejects.toMatchObject({ code: '42501' });
  await expect(api.query('SELECT FROM catalog_log.stock_log')).rejects.toMatchObject({ code: '42501' });
  expect(await quantityRead(9, skuOf(9))).toBe(2);
});
