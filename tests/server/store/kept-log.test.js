'use strict';

const { stockedProducts } = require('../../helpers/writes');
const { applyStock, createWritableCatalog, logStock } = require('../../helpers/stock');

/** @type {Awaited<ReturnType<typeof createWritableCatalog>>} */
let catalog;
/** @type {import('pg').Client} */
let writer;
beforeAll(async () => {
  catalog = await createWritableCatalog(stockedProducts(10));
  writer = await catalog.connect('catalog_writer');
});
afterAll(() => catalog?.drop());

/** As the writer does each minute. @returns {Promise<number[]>} rows of each piece */
async function forgetAll() {
  const counts = [];
  for (let count = 1; count > 0; counts.push(count))
    count = (await writer.query('SELECT catalog_log.forget()::int AS count')).rows[0].count;
  return counts;
}
const kept = async () =>
  (
    await catalog.client.query(`SELECT
      ARRAY(SELECT seq::int FROM catalog_log.commits ORDER BY seq) AS commits,
      ARRAY(SELECT pos::int FROM catalog_log.stock_log ORDER BY pos) AS operations,
      ARRAY(SELECT pos::int FROM catalog_log.stock_rejects ORDER BY pos) AS rejects`)
  ).rows[0];
const age = (/** @type {string} */ table, /** @type {string} */ which) =>
  catalog.client.query(`UPDATE catalog_log.${table} SET at = at - interval '8 days' WHERE ${which}`);

test('the writer deletes what is older than 7 days, and nothing that a later commit needs', async () => {
  await catalog.client.query("SELECT catalog_log.append('load', 1)");
  for (const amount of [2, 3]) {
    await logStock(writer, [
      { sku: 1, amount },
      { sku: 999, amount },
    ]);
    await applyStock(writer);
  }
  await logStock(writer, [{ sku: 1, amount: 4 }]); // not applied
  const all = { commits: [1, 2, 3], operations: [2, 4, 5], rejects: [2, 4] };
  expect([await forgetAll(), await kept()]).toEqual([[0], all]);
  await age('stock_log', 'true');
  expect([await forgetAll(), await kept()]).toEqual([[0], all]);
  await age('commits', 'seq <= 2');
  expect([await forgetAll(), await kept()]).toEqual([[1, 2, 0], { commits: [3], operations: [4, 5], rejects: [4] }]);
  await age('commits', 'true');
  expect([await forgetAll(), await kept()]).toEqual([[0], { commits: [3], operations: [4, 5], rejects: [4] }]);
  expect((await applyStock(writer)).restocked).toEqual([1]);
  expect(await forgetAll()).toEqual([1, 1, 0]);
  expect(await kept()).toEqual({ commits: [4], operations: [5], rejects: [] });
});

test('the writer may delete nothing else of the log', async () => {
  for (const table of ['commits', 'revisions', 'stock_log', 'stock_rejects'])
    await expect(writer.query(`DELETE FROM catalog_log.${table}`)).rejects.toThrow('permission denied');
  await expect(writer.query('SELECT catalog_log.begin_era()')).rejects.toThrow('permission denied');
  const reader = await catalog.connect('catalog_api');
  await expect(reader.query('SELECT catalog_log.forget()')).rejects.toThrow('permission denied');
});
