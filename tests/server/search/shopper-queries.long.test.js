'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { randomProduct } = require('../../../scripts/generate/random-product');
const { SEARCH_LIMITS } = require('../../../server/core/policy');
const { Search } = require('../../../server/search/search');
const { reworded } = require('../../helpers/reworded');
const { buildTables, readerOf } = require('../../helpers/search-index');
const { picking, productOf, queryOf, seeded } = require('../../helpers/search-products');

/*
 * Queries that people typed into a furniture shop (helpers/wands.tsv, licence beside it). Each means a product whose name has its words in
 * another way, among generated products and others of the same words.
 */

const GENERATED = 5000;
const COMBINED = 2500;
const LEAST_SHARE = 0.97;

const [, ...rows] = fs.readFileSync(path.join(__dirname, '../../helpers/wands.tsv'), 'utf8').trim().split('\n');
const unquoted = (/** @type {string} */ field) => field.replace(/^"|"$/g, '').replaceAll('""', '"');
const queries = [...new Set(rows.map((row) => unquoted(row.split('\t')[1])))];
const words = [...new Set(queries.flatMap((query) => query.split(' ')))];

/** @param {number} seed @returns {Partial<import('../../helpers/search-products').Product>[]} */
function generatedProducts(seed) {
  const [random, wording] = [createRandom(seed), createRandom(seed + 1)];
  return Array.from({ length: GENERATED }, () => {
    const { features, styles, name, slogan, description, category } = randomProduct(random, wording, GENERATED);
    return {
      ...{ name, slogan, description, category },
      features: features.map(([feature, value]) => ({ name: feature, value })),
      styles: styles.map((style) => ({
        name: style.name,
        skus: style.skus.map(([size, quantity]) => ({ size, quantity })),
      })),
    };
  });
}

/** @param {number} seed */
function catalogOf(seed) {
  const random = picking(seeded(seed));
  const some = (/** @type {number} */ most) =>
    Array.from({ length: 2 + random.below(most - 1) }, () => words[random.below(words.length)]).join(' ');
  const wanted = queries.map((query) => ({ name: reworded(query, random), slogan: '', query }));
  const combined = Array.from({ length: COMBINED }, () => ({ name: some(5), description: some(12), query: '' }));
  const others = [...combined, ...generatedProducts(seed).map((product) => ({ ...product, query: '' }))];
  const mixed = shuffled([...wanted, ...others], random.below);
  return mixed.map(({ query, ...product }, at) => ({ query, product: productOf(product, at) }));
}

test.each([1, 2])('the product that a query means is on the first page, for 97 %% of them, seed %d', async (seed) => {
  const catalog = catalogOf(seed);
  const tables = buildTables(catalog.map(({ product }) => product));
  const search = new Search(readerOf(tables), { maxBytes: 2 ** 24 });
  const missed = [];
  for (const { query, product } of catalog.filter((each) => each.query !== '')) {
    const asked = queryOf({ q: query, count: SEARCH_LIMITS.default_count });
    const { ids, query: read } = await search.search('1', asked);
    if (!ids.includes(product.id)) missed.push(`${query}: not ${product.name}; ignored: ${read.ignored.join(' ')}`);
  }
  const share = 1 - missed.length / queries.length;
  expect({ share, missed }).toEqual({ share, missed: share < LEAST_SHARE ? [] : missed });
});
