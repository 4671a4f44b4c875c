'use strict';

const { Search } = require('../../server/search/search');
const { buildTables, int4s, readerOf } = require('./search-index');
const { isOrdered, orderedFacet } = require('./oracle-fields');
const { OracleTuning } = require('./oracle-tuning');
const { Oracle, bytes, cents } = require('./search-oracle');
const { CATEGORIES, FEATURES, WORDS, picking, randomProducts, seeded } = require('./search-products');
const { randomQuery } = require('./search-queries');

/** @typedef {import('../../server/search/answers/query').Query} Query */
/** @typedef {import('./search-products').Product} Product */

/** The facets that a query must have. @param {InstanceType<typeof Oracle>} oracle @param {Query} query @param {ReturnType<InstanceType<typeof Oracle>['answer']>['count']} count */
function facetsOf(oracle, query, count) {
  const products = oracle.documents.map(({ product }) => product);
  const features = FEATURES.map((name) => `feature.${name}`);
  const having = (/** @type {string} */ name) => products.filter((each) => known(oracle, each, name).size > 0).length;
  features.sort((a, b) => having(b) - having(a) || bytes(a, b));
  const names = query.facets.flatMap((name) =>
    name === 'feature' ? features.filter((each) => having(each) > 0) : [name],
  );
  return [...new Set(names)].map((name) => {
    if (name === 'price') return priceFacetOf(products, count(['price']));
    if (isOrdered(name)) return orderedFacet(products, count([name]), name);
    const facet = name === 'size' && query.inStock ? 'stock.size' : name;
    const base = name === 'in_stock' ? count([], { ...query, inStock: true }) : count([name]);
    const chosen =
      name === 'on_sale'
        ? [query.onSale && 'true']
        : name === 'in_stock'
          ? [query.inStock && 'true']
          : query.filters[name];
    const selected = new Set(chosen?.filter((value) => value !== false));
    const counts = new Map([...selected].map((value) => [value, 0]));
    for (const product of base)
      for (const value of known(oracle, product, facet)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const values = [...counts].sort(([a, x], [b, y]) => y - x || bytes(String(a), String(b)));
    const listed = values.filter(([value], index) => index < query.facetValues || selected.has(value));
    if (name === 'size') listed.sort(([a], [b]) => placeOfSize(a) - placeOfSize(b) || bytes(String(a), String(b)));
    return {
      name,
      values: listed.map(([value, number]) => ({ value, count: number, selected: selected.has(value) })),
      more: values.length - listed.length,
    };
  });
}

/** XS to XXL, then numbers, then all else. @param {unknown} size */
const placeOfSize = (size) =>
  1 + 'XS S M L XL XXL'.split(' ').indexOf(String(size)) || (/^[\d.]+$/.test(String(size)) ? 100 + Number(size) : 1e9);

/** @param {InstanceType<typeof Oracle>} oracle @param {Product} product @param {string} facet */
const known = (oracle, product, facet) =>
  new Set(oracle.values(product, facet).filter((value) => [...value].length <= 200));

/**
 * The price facet of some products: the tenths of the catalog by price, where equal prices are together.
 * @param {Product[]} catalog @param {Product[]} products
 */
function priceFacetOf(catalog, products) {
  const prices = catalog.map(({ price }) => price).sort((a, b) => Number(cents(a) - cents(b)));
  const ranks = new Map([...prices.entries()].reverse().map(([rank, price]) => [price, rank]));
  const rankOf = (/** @type {string} */ price) => ranks.get(price) ?? -1;
  const starts = new Set(
    Array.from({ length: 10 }, (_, band) => rankOf(prices[Math.floor((band * prices.length) / 10)])),
  );
  const edges = [...starts, prices.length];
  const own = products.map(({ price }) => rankOf(price)).sort((a, b) => a - b);
  const bands = edges.slice(1).map((end, index) => ({
    min_price: prices[edges[index]],
    max_price: prices[end - 1],
    count: own.filter((rank) => rank >= edges[index] && rank < end).length,
  }));
  const [min, max] = [own[0], own.at(-1)].map((rank) => (rank === undefined ? null : prices[rank]));
  return { name: 'price', min, max, values: bands.filter(({ count }) => count > 0) };
}

/** Some synonyms, stop words, places and weights. @param {ReturnType<typeof picking>} random @param {Product[]} products */
function randomTuning({ below, chance, pick, some }, products) {
  const word = () => pick(WORDS);
  const phrase = () => (chance(0.3) ? `${word()} ${word()}` : word());
  const ids = () => some(6, () => (chance(0.2) ? 1_000_000 : pick(products).id));
  const place = () => (chance(0.3) ? { category: pick(CATEGORIES), ids: ids() } : { q: phrase(), ids: ids() });
  const synonyms = Array.from({ length: 8 }, (_, at) =>
    at % 2 === 0 ? [phrase(), phrase(), word()] : { from: [phrase()], to: [phrase(), word()] },
  );
  const weights = new Map(products.filter(() => chance(0.5)).map(({ id }) => [id, 1 + below(5)]));
  const content = {
    synonyms,
    stopWords: { add: [word()], remove: ['the'] },
    pins: Array.from({ length: 40 }, place),
    bury: Array.from({ length: 40 }, place),
  };
  const ranked = [...weights].sort(([a, x], [b, y]) => y - x || a - b).map(([id]) => id);
  return { stored: { number: 1, content, ranked: int4s(ranked) }, tuning: new OracleTuning(content, weights) };
}

/**
 * Compares the answers to random queries with those of the oracle.
 * @param {{ products: number, queries: number, seed: number, tuned: boolean }[]} catalogs
 */
const testSearches = (catalogs) =>
  describe.each(catalogs)(
    '$queries random queries over $products products, tuned: $tuned',
    ({ products: size, queries, seed, tuned }) => {
      const products = randomProducts(size, seed);
      const random = picking(seeded(seed + 100));
      const { stored, tuning } = tuned ? randomTuning(random, products) : {};
      const tables = readerOf(buildTables(products), 1, stored);
      const search = new Search(tables, { maxBytes: 2 ** 20, tuning: () => stored?.number ?? 0 });
      const oracle = new Oracle(products, tuning);
      const cases = Array.from({ length: queries }, () => randomQuery(random));
      const hundreds = Array.from({ length: Math.ceil(queries / 100) }, (_, index) => [
        index * 100,
        cases.slice(index * 100, index * 100 + 100),
      ]);

      test.each(/** @type {[number, Query[]][]} */ (hundreds))(
        'totals, pages, words and facets are right, from query %d on',
        async (_, some) => {
          for (const query of some) {
            const wanted = oracle.answer(query);
            const answer = await search.search('1', query);
            const from = (query.page - 1) * query.count;
            expect({ ...answer, fields: undefined, next: answer.next !== null, asked: query }).toEqual({
              query: {
                words: wanted.words.map((word) => oracle.report(word, wanted.typos)),
                optional: wanted.optional,
                ignored: wanted.ignored,
                ...(wanted.pinned.length > 0 && { pinned: wanted.pinned }),
              },
              asked: query,
              loadId: 1,
              cursor: '1.1',
              total: wanted.found.length,
              ids: wanted.found.slice(from, from + query.count).map(({ id }) => id),
              next: query.count > 0 && from + query.count < wanted.found.length,
              facets: facetsOf(oracle, query, wanted.count),
            });
          }
        },
      );

      test('cursors walk through every product once, in each sort', async () => {
        for (const query of cases.slice(0, 40)) {
          const wanted = oracle.answer(query).found.map(({ id }) => id);
          const count = Math.max(query.count, Math.ceil(wanted.length / 10), 1);
          const walked = [];
          for (let after = null, first = true; first || after; first = false) {
            const page = await search.search('1', { ...query, page: 1, count, after });
            walked.push(...page.ids);
            after = page.next;
          }
          expect({ query, walked }).toEqual({ query, walked: wanted });
        }
      });
    },
  );

module.exports = { testSearches };
