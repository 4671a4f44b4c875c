'use strict';

const { Client } = require('pg');

const { until } = require('../../helpers/app');
const { untilBlocked } = require('../../helpers/stock');
const { callerOf, failedChecks, prepareWrites, serveWriter, startWriter } = require('../../helpers/writer');

/** Each product has two styles, 11 and 12 of product 1, 21 and 22 of product 2, and three skus of a quantity of 1000 in the first of them. */
const PRODUCTS = 12;
const SKUS = PRODUCTS * 3;
const START = 1000;
const SKU_ROWS = `INSERT INTO {schema}.skus (id, style_id, size, quantity)
  SELECT id, (id + 2) / 3 * 10 + 1, id % 3, ${START} FROM generate_series(1, ${SKUS}) AS id`;
const ROWS = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT id, 'Product ' || id, '-', '-', 'Shoes', 1 FROM generate_series(1, ${PRODUCTS}) AS id;
  INSERT INTO {schema}.styles (id, product_id, name, sale_price, original_price, is_default)
  SELECT id * 10 + place, id, 'Style', NULL, 1, true FROM generate_series(1, ${PRODUCTS}) AS id, generate_series(1, 2) AS place;
  ${SKU_ROWS};`;

const served = serveWriter(ROWS);
/** @type {string} */
let key;
/** @type {ReturnType<typeof callerOf>} */
let till;
beforeAll(async () => {
  key = await prepareWrites(served.catalog, { name: 'till', scopes: ['stock', 'content', 'history'] });
  till = callerOf(served.app.url, key);
});

const ASYNC = { Prefer: 'respond-async' };
let keys = 0;
const withKey = () => ({ 'Idempotency-Key': `move-${(keys += 1)}` });
/** @param {number} sku */
const quantityOf = async (sku) =>
  (await served.catalog.client.query('SELECT quantity FROM catalog.skus WHERE id = $1', [sku])).rows[0]?.quantity;
/** @param {number} position @returns {Promise<any>} what became of it */
async function outcomeOf(position) {
  let { body } = await till('GET', `/writes/${position}`);
  await until(async () => ({ body } = await till('GET', `/writes/${position}`)).body.state === 'applied');
  return body;
}

const PUT = 'INSERT INTO catalog.skus VALUES (1, ';
const TAKE = 'DELETE FROM catalog.skus WHERE id = 1';
/** @type {[what: string, sql: string, left?: number][]} `left`: the quantity of a sku that cannot be changed any more */
const ELSEWHERE = [
  ['moves', `${TAKE}; ${PUT} 12, 'S', 7)`],
  ['moves to another product', `${TAKE}; ${PUT} 22, 'S', 7)`],
  ['moves as one row', 'UPDATE catalog.skus SET style_id = 12 WHERE id = 1'],
  ['leaves and comes back', `${TAKE}; ${PUT} 11, 'S', 7)`],
  ['gets another size', "UPDATE catalog.skus SET size = 'L' WHERE id = 1"],
  ['goes', TAKE, -1],
  ['moves to where no product is', `${TAKE}; ${PUT} 999, 'S', 7)`, 7],
];
describe.each(ELSEWHERE)('while a sku %s, an operation that waits for it', (_, sql, left) => {
  /** @param {[sku: number, delta: number][]} adjust the last one is of sku 1 @param {Record<string, string>} [headers] */
  async function beside(adjust, headers) {
    await served.catalog.client.query(`${TAKE}; ${PUT} 11, '1', 7)`);
    const other = new Client({ connectionString: served.catalog.superuserDsn });
    await other.connect();
    await other.query(`BEGIN; ${sql}`);
    const sent = till('POST', '/stock', { adjust }, { ...withKey(), ...headers });
    await untilBlocked(served.catalog.client);
    await other.query('COMMIT');
    await other.end();
    const { rejected } = await outcomeOf((await sent).body.position);
    const [, delta] = adjust[adjust.length - 1];
    const named = [expect.objectContaining({ sku: 1, reason: 'unknown-sku' })];
    expect(rejected).toEqual(left === undefined ? [] : named);
    expect((await quantityOf(1)) ?? -1).toBe(left ?? 7 + delta);
  }

  test('is applied where the sku is then, or rejected by name', () => beside([[1, -3]]));

  test('is so, too, when its client does not wait', () => beside([[1, -3]], ASYNC));

  test('is so, too, when the card changes, and the others of its request are applied', async () => {
    const before = await quantityOf(5);
    await beside([4, 5, 6, 7, 1].map((sku) => [sku, sku === 1 ? -7 : 1]));
    expect(await quantityOf(5)).toBe(before + 1);
  });
});

/** A patch that moves the skus of a product. @param {number} product @param {boolean} isBack */
function moved(product, isBack) {
  const ids = [1, 2, 3].map((place) => product * 3 - 3 + place);
  const skus = Object.fromEntries(ids.map((sku) => [sku, { size: `${sku % 3}` }]));
  const none = Object.fromEntries(ids.map((sku) => [sku, null]));
  return {
    styles: { [product * 10 + 1]: { skus: isBack ? skus : none }, [product * 10 + 2]: { skus: isBack ? none : skus } },
  };
}

const ANY = { 'If-Match': '*' };
/**
 * Moves the skus of a product there and back, then takes them out, with their style or with their product, and brings them back.
 * @param {typeof till} call @param {number} product @param {number[]} statuses gets those of the replies
 */
async function moveConstantly(call, product, statuses) {
  const path = `/products/${product}`;
  for (let round = 0; round < 20; round += 1) {
    const { status, headers, body } = await call('PATCH', path, moved(product, round % 2 === 1));
    statuses.push(status);
    if (round % 5 !== 4) continue;
    const gone =
      product % 2 === 0
        ? await call('DELETE', path, undefined, ANY)
        : await call('PATCH', path, { styles: { [product * 10 + 1]: null, [product * 10 + 2]: null } });
    const { id, campus, created_at: _, updated_at: __, ...content } = body;
    const to = Number(headers.get('catalog-revision'));
    const back =
      product % 2 === 0
        ? await call('PUT', path, content, { 'If-None-Match': '*' })
        : await call('POST', `${path}/rollback`, { to, reason: 'x' }, ANY);
    statuses.push(gone.status, back.status);
  }
}

/**
 * @param {typeof till} call @param {number} client whose number is also in which skus it changes @param {number[]} statuses
 * @returns {Promise<[sku: number, delta: number][]>} what was acknowledged
 */
async function adjustConstantly(call, client, statuses) {
  /** @type {{ adjust: [number, number][], position: number, rejected?: any[] }[]} */
  const sent = [];
  for (let round = 0; round < 40; round += 1) {
    const skus = Array.from({ length: 8 }, (_, place) => 1 + ((client * 7 + round * 5 + place * 4) % SKUS));
    const adjust = skus.map((sku) => /** @type {[number, number]} */ ([sku, (round % 3) + 1]));
    const { status, body } = await call('POST', '/stock', { adjust }, { ...withKey(), ...(client === 3 && ASYNC) });
    statuses.push(status);
    sent.push({ adjust, ...body });
  }
  /** @type {[number, number][][]} */
  const acknowledged = [];
  for (const { adjust, position, rejected = undefined } of sent) {
    const refused = (rejected ?? (await outcomeOf(position)).rejected).map((/** @type {any} */ each) => each.pointer);
    acknowledged.push(adjust.filter((_, place) => !refused.includes(`/adjust/${place}`)));
  }
  return acknowledged.flat();
}

test('two writers that move, remove and return skus lose no acknowledged adjust', async () => {
  await served.catalog.client.query(`TRUNCATE catalog.skus; ${SKU_ROWS.replace('{schema}', 'catalog')}`);
  const second = await startWriter(served.catalog.writerDsn);
  const calls = [till, callerOf(second.url, key)];
  /** @type {number[]} */
  const statuses = [];
  const products = Array.from({ length: PRODUCTS }, (_, place) => place + 1);
  const [acknowledged] = await Promise.all([
    Promise.all([0, 1, 2, 3].map((client) => adjustConstantly(calls[client % 2], client, statuses))),
    ...products.map((product) => moveConstantly(calls[product % 2], product, statuses)),
  ]);
  await second.close();
  expect(statuses.filter((status) => status >= 300)).toEqual([]);
  const sums = new Map(Array.from({ length: SKUS }, (_, place) => [place + 1, START]));
  for (const [sku, delta] of acknowledged.flat()) sums.set(sku, Number(sums.get(sku)) + delta);
  const { rows } = await served.catalog.client.query('SELECT id, quantity FROM catalog.skus ORDER BY id');
  expect(rows.map(({ id, quantity }) => [id, quantity])).toEqual([...sums]);
  // No reply that counts as built is older than its rows, nor is a card.
  const { rows: wrong } = await served.catalog.client.query(`
    SELECT id FROM catalog.product_state JOIN catalog.styles_documents AS made USING (id)
    WHERE styles_seq = built_seq AND made.body <> catalog.live_styles(id)`);
  expect(wrong).toEqual([]);
  expect((await failedChecks(served.catalog.client)).filter((check) => !check.startsWith('09'))).toEqual([]);
}, 60_000);
