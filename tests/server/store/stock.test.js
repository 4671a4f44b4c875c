'use strict';

const {
  applyStock,
  beginApply,
  createWritableCatalog,
  foldStock,
  logStock,
  untilBlocked,
} = require('../../helpers/stock');

const MAX = 2147483647;
const SKUS = 20;

/** Product 1 has the skus 1 to 10 in style 1, product 2 the skus 11 to 20 in styles 2 and 3; all have a quantity of 5. */
const ROWS = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT id, 'Product ' || id, '-', '-', 'Shoes', 1 FROM generate_series(1, 3) AS id;
  INSERT INTO {schema}.styles (id, product_id, name, sale_price, original_price, is_default)
  SELECT id, least(id, 2), 'Style', NULL, 1, true FROM generate_series(1, 3) AS id;
  INSERT INTO {schema}.skus (id, style_id, size, quantity)
  SELECT id, 1 + (id > 10)::int + (id > 15)::int, (id % 5)::text, 5 FROM generate_series(1, ${SKUS}) AS id;`;

/** @type {Awaited<ReturnType<typeof createWritableCatalog>>} */
let catalog;
/** @type {import('pg').Client} */
let writer;

beforeAll(async () => {
  catalog = await createWritableCatalog(ROWS);
  writer = await catalog.connect('catalog_writer');
});
beforeEach(() =>
  catalog.client.query(`
    UPDATE catalog.skus SET quantity = 5;
    TRUNCATE catalog_log.stock_log, catalog_log.stock_rejects, catalog.product_state;
    UPDATE catalog_log.stock_head SET pos = 0; UPDATE catalog_log.stock_applied SET pos = 0`),
);
afterAll(() => catalog.drop());

/** @param {string} text @returns {Promise<any[]>} */
const rowsOf = async (text) => (await catalog.client.query({ text, rowMode: 'array' })).rows;
const quantities = () => rowsOf('SELECT id, quantity FROM catalog.skus ORDER BY id');
const rejects = () => rowsOf('SELECT pos::int, sku, reason, quantity FROM catalog_log.stock_rejects ORDER BY pos');
const positions = () =>
  rowsOf(
    'SELECT head.pos::int, applied.pos::int FROM catalog_log.stock_head AS head, catalog_log.stock_applied AS applied',
  );
const lastCommit = async () =>
  (
    await rowsOf(
      'SELECT seq::int, kind, restocked, cards, stock_pos::int FROM catalog_log.commits ORDER BY seq DESC LIMIT 1',
    )
  )[0];

/** @param {number} seed @returns {(below: number) => number} the same numbers each time */
function numbersFrom(seed) {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

/** @param {(below: number) => number} next @returns {import('../../helpers/stock').Operation} */
function anyOperation(next) {
  const sku = 1 + next(SKUS + 1); // the last one is unknown
  const kind = next(10);
  if (kind === 0) return { sku, amount: MAX, adjusts: next(2) === 0 };
  if (kind === 1) return { sku, amount: -MAX, adjusts: true };
  if (kind < 5) return { sku, amount: next(4), expected: next(4) };
  return kind < 8 ? { sku, amount: next(7) - 3, adjusts: true } : { sku, amount: next(4) };
}

test.each([1, 2, 3, 4])(
  'any cut of the log gives the rows and rejects of one operation after another (seed %i)',
  async (seed) => {
    const next = numbersFrom(seed);
    const operations = Array.from({ length: 400 }, () => anyOperation(next));
    const stored = new Map(Array.from({ length: SKUS }, (_, place) => [place + 1, 5]));
    const refused = foldStock(stored, operations);
    expect(new Set(refused.map(([, , reason]) => reason)).size).toBe(3);
    for (let from = 0; from < operations.length;) {
      const size = 1 + next(60);
      await logStock(writer, operations.slice(from, from + size));
      from += size;
      if (next(3) === 0) await applyStock(writer);
    }
    await applyStock(writer);
    expect(await quantities()).toEqual([...stored]);
    expect(await rejects()).toEqual(refused);
    expect(await positions()).toEqual([[400, 400]]);
  },
);

test('a transaction applies whole rows of the log, up to 10,000 operations', async () => {
  const many = (/** @type {number} */ length) => Array.from({ length }, () => ({ sku: 1, amount: 1, adjusts: true }));
  for (const length of [6000, 4000, 1, 10_000]) await logStock(writer, many(length));
  const applied = [];
  for (let round = 0; round < 4; round++) applied.push((await applyStock(writer)).operations);
  expect(applied).toEqual([10_000, 1, 10_000, 0]);
  expect((await quantities())[0]).toEqual([1, 20_006]);
});

test.each([
  ['more operations than fit', Array(10_001).fill(1), Array(10_001).fill(1), Array(10_001).fill(false)],
  ['none', [], [], []],
  ['a missing amount', [1, 2], [1], [false, false]],
  ['no sku', [null], [1], [false]],
  ['no amount', [1], [null], [false]],
])('the log refuses a row with %s, which would stop all behind it', async (_, skus, amounts, adjusts) => {
  const before = await positions();
  const append = 'INSERT INTO catalog_log.stock_log (pos, skus, amounts, adjusts, expected) VALUES (1, $1, $2, $3, $4)';
  const written = writer.query(append, [skus, amounts, adjusts, skus.map(() => null)]);
  await expect(written).rejects.toMatchObject({ code: '23514' });
  expect(await positions()).toEqual(before);
});

test('operations that change nothing have a commit without products, and refused ones have none', async () => {
  const refused = { sku: 3, amount: 1, expected: 4 };
  await logStock(writer, [
    { sku: 1, amount: 5 },
    { sku: 2, amount: 1, adjusts: true },
    { sku: 2, amount: -1, adjusts: true },
    refused,
  ]);
  const { seq, ...applied } = await applyStock(writer);
  expect(applied).toMatchObject({ pos: '4', operations: 4, restocked: [] });
  const commit = await lastCommit();
  expect(commit).toEqual([Number(seq), 'stock', [], [], 4]);
  await logStock(writer, [refused]);
  await applyStock(writer);
  expect([await lastCommit(), await positions()]).toEqual([commit, [[5, 5]]]);
});

test('a commit names the restocked products, those with another card, and the position', async () => {
  await logStock(writer, [
    { sku: 1, amount: 4 },
    { sku: 11, amount: 0 }, // of size 1, which sku 16 still has
    { sku: 16, amount: 0 },
  ]);
  const { seq } = await applyStock(writer);
  expect(await lastCommit()).toEqual([Number(seq), 'stock', [1, 2], [2], 3]);
});

test.each(['lock', 'apply', 'commit'])(
  'a kill after "%s" leaves rows, rejects, position and log as they were',
  async (last) => {
    await logStock(writer, [
      { sku: 1, amount: 0 },
      { sku: 99, amount: 1 },
    ]);
    const before = [await quantities(), await rejects(), await positions(), await lastCommit()];
    const killed = await catalog.connect('catalog_writer');
    const statements = { lock: 3, apply: 4, commit: 6 }[last];
    const query = killed.query.bind(killed);
    let sent = 0;
    // pg's types of `query` are overloads that no replacement satisfies
    /** @type {any} */ (killed).query = async (/** @type {any[]} */ ...words) => {
      if (sent === statements) throw new Error('killed');
      sent += 1;
      return query(.../** @type {[string]} */ (words));
    };
    await expect(applyStock(killed)).rejects.toThrow('killed');
    await catalog.client.query('SELECT pg_terminate_backend($1)', [/** @type {any} */ (killed).processID]);
    expect([await quantities(), await rejects(), await positions(), await lastCommit()]).toEqual(before);
    expect(await applyStock(writer)).toMatchObject({ operations: 2, restocked: [1] });
    expect((await quantities())[0]).toEqual([1, 0]);
  },
);

test('two appliers at once do each operation once', async () => {
  const other = await catalog.connect('catalog_writer');
  for (let row = 0; row < 5; row++) await logStock(writer, Array(4000).fill({ sku: 7, amount: 1, adjusts: true }));
  const both = async () =>
    (await Promise.all([applyStock(writer), applyStock(other)])).map(({ operations }) => operations);
  expect((await both()).sort()).toEqual([8000, 8000]);
  expect((await both()).sort()).toEqual([0, 4000]);
  expect((await quantities())[6]).toEqual([7, 20_005]);
});

test('a second applier waits for the first and sees its rows', async () => {
  const other = await catalog.connect('catalog_writer');
  await logStock(writer, [{ sku: 8, amount: 50 }]);
  await beginApply(writer);
  await logStock(other, [{ sku: 8, amount: 51, expected: 50 }]);
  const second = applyStock(other);
  await untilBlocked(catalog.client);
  await writer.query('COMMIT');
  expect(await second).toMatchObject({ operations: 1, restocked: [1] });
  expect((await quantities())[7]).toEqual([8, 51]);
  expect(await rejects()).toEqual([]);
});
