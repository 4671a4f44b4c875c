'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createRandom } = require('../../../scripts/generate/random');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');
const { writeRandomly } = require('../../helpers/random-writes');

const SEED = 20261127;
const PRODUCTS = 60;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loads-'));
const files = path.join(dir, 'files');

/** @type {Awaited<ReturnType<typeof createLoaded>>[]} */
const opened = [];
const open = async () => {
  const loaded = await createLoaded();
  opened.push(loaded);
  return loaded;
};
beforeAll(() => generateFiles(files, PRODUCTS));
afterEach(async () => {
  for (const loaded of opened.splice(0)) await loaded.drop();
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** @param {import('pg').Client} client @param {string} query @returns {Promise<number[]>} the ids of a query */
const idsOf = async (client, query) => (await client.query(query)).rows.map(({ id }) => id);

/**
 * Writes content and stock, one after the other.
 * @param {Awaited<ReturnType<typeof createLoaded>>} loaded @param {ReturnType<typeof import('../../helpers/writer').callerOf>} call
 * @param {number} seed @param {number} writes
 */
async function writeAll({ client, stock }, call, seed, writes) {
  const below = createRandom(seed);
  const skus = await idsOf(client, 'SELECT id FROM catalog.skus ORDER BY id');
  for (const round of [0, 1, 2]) {
    const ids = await idsOf(client, 'SELECT id FROM catalog.products WHERE id NOT IN (1, 7) ORDER BY id LIMIT 30');
    const { refused } = await writeRandomly({
      call,
      below,
      ids,
      writes: writes / 3,
      callers: 1,
      kept: 7,
      name: `${seed}-${round}`,
    });
    expect(refused).toBeLessThan(writes / 30); // a related product was deleted
    const sku = () => skus[below(skus.length)];
    for (let left = 5; left > 0; left -= 1)
      await stock(
        { sku: sku(), amount: below(4) },
        { sku: sku(), amount: below(9) - 6, adjusts: true },
        { sku: sku(), amount: below(9), expected: below(9) },
        { sku: sku(), amount: 0 },
      );
  }
}

test('after 300 random writes with new and deleted products, and stock, verify finds no defect, and finds one that is made', async () => {
  const loaded = await open();
  expect(await loaded.load('load', files)).toMatchObject({ status: 0 });
  await writeAll(loaded, await loaded.serve(), SEED, 300);
  const sound = await loaded.load('verify', '--served');
  expect([sound.status, sound.said.match(/^FAIL.*/gm)]).toEqual([0, null]);
  for (const [damage, title] of [
    ['DELETE FROM catalog.skus WHERE id = (SELECT min(id) FROM catalog.skus)', 'every table has as many rows'],
    [
      'UPDATE catalog.product_documents SET feature_rows = feature_rows + 1 WHERE id = (SELECT max(id) FROM catalog.products)',
      'every table has as many rows',
    ],
    ["DELETE FROM catalog.search_sets WHERE key LIKE 'f:category=%'", 'the search counts as many products'],
    ['UPDATE catalog.loaded_cards SET offer = NULL', 'the lists of the search are what'],
  ]) {
    await loaded.client.query(damage);
    const damaged = await loaded.load('verify', '--served');
    expect(damaged.said).toContain(`FAIL ${title}`);
    expect(damaged.said).not.toContain('unswap');
  }
}, 120_000);
