'use strict';

const { smallProduct, sendBulk } = require('../../helpers/bulk');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const FIRST = 1500000001;
const LAST = 2147483647;
/** The fixture of a load whose ids are those that the sequences give next, and the last one. */
const TAKEN = [FIRST, FIRST + 1, FIRST + 3, LAST];
const ROWS = TAKEN.map(
  (id) => `
  INSERT INTO {schema}.products VALUES (${id}, 'Loaded ${id}', 's', 'd', 'Shoes', 5);
  INSERT INTO {schema}.features VALUES (${id}, ${id}, 1, 'Fabric', 'Canvas');
  INSERT INTO {schema}.styles VALUES (${id}, ${id}, 'Red', NULL, 5, true);
  INSERT INTO {schema}.photos VALUES (${id}, ${id}, 1, 'https://x/1', 'https://x/2');
  INSERT INTO {schema}.skus VALUES (${id}, ${id}, 'M', 7);`,
).join('');

const served = serveWriter(ROWS);
/** @type {(...call: Parameters<typeof served.call>) => ReturnType<typeof served.call>} */
const call = (...words) => served.call(...words);
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

/** The rows that were loaded. */
async function loaded() {
  const { rows } = await served.catalog.client.query({
    text: `SELECT to_jsonb(product), to_jsonb(style), to_jsonb(sku), feature, head, body
      FROM catalog.products AS product
      JOIN catalog.styles AS style ON style.id = product.id
      JOIN catalog.skus AS sku ON sku.id = product.id
      JOIN catalog.features AS feature ON feature.id = product.id
      JOIN catalog.product_documents AS reply ON reply.id = product.id
      JOIN catalog.styles_documents AS styles ON styles.id = product.id
      WHERE product.id = ANY ($1) ORDER BY product.id`,
    values: [TAKEN],
    rowMode: 'array',
  });
  return rows;
}
/** @type {unknown[][]} */
let before;
beforeAll(async () => {
  before = await loaded();
  expect(before).toHaveLength(TAKEN.length);
});
afterEach(async () => expect(await loaded()).toEqual(before));

const STYLE = { name: 'Blue', original_price: '5', 'default?': true, photos: [] };
const product = (/** @type {string} */ name) => ({
  ...{ name, slogan: '', description: '', category: 'Shoes', default_price: '5', features: [], related: [] },
  styles: { new: { ...STYLE, skus: { 'new-1': { size: 'M', quantity: 1 }, 'new-2': { size: 'L' } } } },
});
/** @param {any} made a product @returns {number[]} its own ids */
const idsOf = ({ id, styles }) => [
  id,
  ...Object.entries(styles).flatMap(([style, { skus }]) => [style, ...Object.keys(skus)].map(Number)),
];
/** @param {string} sequence @param {number} last */
const setLast = (sequence, last) => served.catalog.client.query('SELECT setval($1, $2)', [sequence, last]);
const revisions = async (/** @type {number} */ id) => (await call('GET', `/products/${id}/revisions`)).body.revisions;

test('a new product, its style and skus get ids that no loaded row has', async () => {
  const made = await call('POST', '/products', product('New'), { 'Idempotency-Key': 'first' });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ name: 'New', features: [] });
  expect(idsOf(made.body)).toEqual([FIRST + 2, FIRST + 2, FIRST + 2, FIRST + 4]);
  expect(await revisions(made.body.id)).toHaveLength(1);
  expect((await call('GET', `/products/${FIRST}/revisions`)).status).toBe(404);
});

test('new keys of a patch and lines of a bulk request get ids that no loaded row has', async () => {
  for (const kind of ['product', 'style', 'sku']) await setLast(`catalog_log.${kind}_ids`, FIRST - 1);
  const patched = await call(
    'PATCH',
    `/products/${FIRST + 2}`,
    { styles: { 'new-a': { ...STYLE, skus: { new: { size: 'S' } } }, 'new-b': { ...STYLE, skus: {} } } },
    { 'Idempotency-Key': 'new-keys' },
  );
  expect(patched.status).toBe(200);
  const { lines } = await sendBulk(served.app.url, served.key, 'lines', [
    { op: 'create', body: smallProduct('one') },
    { op: 'create', body: smallProduct('two') },
  ]);
  expect(lines.map(({ status }) => status)).toEqual([201, 201, undefined]);
  const { rows } = await served.catalog.client.query(
    'SELECT count(*)::int, count(DISTINCT id)::int AS ids FROM catalog.styles UNION ALL SELECT count(*)::int, count(DISTINCT id)::int FROM catalog.skus',
  );
  for (const { count, ids } of rows) expect(ids).toBe(count);
});

test('a new product gets no id of a deleted one, which may come back', async () => {
  const gone = await call('POST', '/products', product('Gone'), { 'Idempotency-Key': 'gone' });
  await call('DELETE', `/products/${gone.body.id}`, undefined, { 'If-Match': '*' });
  await setLast('catalog_log.product_ids', gone.body.id - 1);
  const made = await call('POST', '/products', product('Other'), { 'Idempotency-Key': 'other' });
  expect([made.status, made.body.name]).toEqual([201, 'Other']);
  expect(made.body.id).not.toBe(gone.body.id);
  const back = await call(
    'POST',
    `/products/${gone.body.id}/rollback`,
    { to: 1, reason: 'x' },
    { 'If-None-Match': '*' },
  );
  expect([back.status, back.body.name]).toEqual([201, 'Gone']);
});

test('many writers at once get ids of their own', async () => {
  await setLast('catalog_log.sku_ids', FIRST - 1);
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      call('POST', '/products', product(`at once ${index}`), { 'Idempotency-Key': `at-once-${index}` }),
    ),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  const skus = made.flatMap(({ body }) => idsOf(body).slice(2));
  expect(new Set(skus).size).toBe(80);
});

test('when the ids are used up, a new product is refused by name and other writes are done', async () => {
  await setLast('catalog_log.product_ids', LAST - 1); // the last one is taken
  const [refused, patched] = await Promise.all([
    call('POST', '/products', product('Late'), { 'Idempotency-Key': 'late' }),
    call('PATCH', `/products/${FIRST + 2}`, { slogan: 'done' }),
  ]);
  expect([refused.status, refused.body.type]).toEqual([503, 'urn:catalog:problem:writes-paused']);
  expect(refused.body.detail).toContain('ALTER SEQUENCE catalog_log.product_ids RESTART WITH');
  expect([patched.status, patched.body.slogan]).toEqual([200, 'done']);
  await setLast('catalog_log.product_ids', 10);
  const made = await call('POST', '/products', product('Late'), { 'Idempotency-Key': 'late' });
  expect([made.status, made.body.id]).toEqual([201, 11]);
});
