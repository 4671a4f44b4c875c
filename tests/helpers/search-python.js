'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const { python, root } = require('../../scripts/lib/runtime');
const { Search } = require('../../server/search/search');
const { buildTables, readerOf } = require('./search-index');
const { picking, randomProducts, seeded } = require('./search-products');
const { randomQuery } = require('./search-queries');

/** @typedef {import('../../server/search/answers/query').Query} Query */

const program = path.join(root, 'tests/etl/query_oracle.py');

/** Leaves out what the oracle does not know. @param {Query} query @returns {Query} */
const simplified = ({ filters: { category }, sort, ...query }) => ({
  ...query,
  onSale: false,
  minPrice: null,
  maxPrice: null,
  facets: [],
  filters: category ? { category } : {},
  sort: sort === 'relevance' || sort === 'id' ? sort : null,
});

/** @template T @param {T} products @returns {T} */
const withoutFields = (products) =>
  JSON.parse(JSON.stringify(products, (name, value) => (name === 'fields' ? undefined : value)));

/**
 * Answers of the engine, and those of an oracle in Python that shares no code with it.
 * @param {{ products: number, queries: number, seed: number }} size
 */
async function answersOfBoth({ products: count, queries: number, seed }) {
  const products = withoutFields(randomProducts(count, seed));
  const random = picking(seeded(seed + 1));
  const queries = Array.from({ length: number }, () => simplified(randomQuery(random)));
  const input = JSON.stringify({ products, queries });
  const { status, stdout, stderr } = spawnSync(python, [program], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr);
  const search = new Search(readerOf(buildTables(products)), { maxBytes: 2 ** 20 });
  const engine = [];
  for (const asked of queries) {
    const { total, ids, query } = await search.search('1', asked);
    engine.push({ asked, total, ids, ...query });
  }
  const oracle = JSON.parse(stdout).map((/** @type {object} */ answer, /** @type {number} */ index) => ({
    asked: queries[index],
    ...answer,
  }));
  return { engine, oracle };
}

/** @param {Parameters<typeof answersOfBoth>[0][]} sizes */
const testTypos = (sizes) =>
  test.each(sizes)('$queries random queries over $products products match an oracle in Python', async (size) => {
    const { engine, oracle } = await answersOfBoth(size);
    const least = size.queries / 20;
    expect(engine.filter(({ words }) => words.some(({ typos }) => typos > 0)).length).toBeGreaterThan(least);
    expect(engine.filter(({ ignored }) => ignored.length > 0).length).toBeGreaterThan(least);
    expect(engine.filter(({ optional }) => optional.length > 0).length).toBeGreaterThan(least / 3);
    const others = (/** @type {import('../../server/search/answers/answer').WordReport} */ { word, as, typos }) =>
      typos === 0 && as.some((term) => !term.startsWith(word));
    expect(engine.filter(({ words }) => words.some(others)).length).toBeGreaterThan(least);
    expect(engine).toEqual(oracle);
  });

module.exports = { testTypos };
