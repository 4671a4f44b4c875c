'use strict';

const queries = require('../../../server/store/queries');
const { createCatalog } = require('../../helpers/database');

/** @typedef {{ 'Relation Name'?: string, 'Actual Loops': number, Plans?: Plan[] }} Plan */

/** @param {Plan} plan @returns {string[]} tables that were read */
function tablesRead(plan) {
  const below = (plan.Plans ?? []).flatMap(tablesRead);
  return plan['Relation Name'] && plan['Actual Loops'] > 0 ? [plan['Relation Name'], ...below] : below;
}

describe('products with includes', () => {
  /** @type {Awaited<ReturnType<typeof createCatalog>>} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog();
    await catalog.client.query("SET plan_cache_mode = 'force_generic_plan'"); // as for a statement that a worker has prepared
    await catalog.client.query(`PREPARE batch (text[], int[]) AS ${queries.batch.text}`);
    await catalog.client.query(`PREPARE skus (text[], int[]) AS ${queries.skus.text}`);
    await catalog.client.query(`PREPARE page (text[], int, int, int) AS ${queries.includedPage.text}`);
  });
  afterAll(() => catalog?.drop());

  /** @param {string} call of a statement @returns {Promise<string[]>} */
  async function tablesOf(call) {
    const { rows } = await catalog.client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${call}`);
    return [...new Set(tablesRead(rows[0]['QUERY PLAN'][0].Plan))].sort();
  }

  test.each(
    Object.entries({
      features: [],
      related_ids: [],
      offer: ['cards'],
      styles: ['product_state', 'styles_documents'],
      related: ['cards'],
      'offer,styles,related': ['cards', 'product_state', 'styles_documents'],
    }),
  )('include=%s reads no other table', async (include, tables) => {
    expect(await tablesOf(`batch('{${include}}', '{1,2}')`)).toEqual([...tables, 'product_documents'].sort());
    // head: which counts a page belongs to.
    expect(await tablesOf(`page('{${include}}', 1, 0, 2)`)).toEqual([...tables, 'head', 'product_documents'].sort());
  });

  test('skus read cards only with include=card', async () => {
    const tables = ['hidden_documents', 'photos', 'products', 'skus', 'styles'];
    expect(await tablesOf(`skus('{}', '{37}')`)).toEqual(tables);
    expect(await tablesOf(`skus('{card}', '{37}')`)).toEqual(['cards', ...tables]);
  });
});
