'use strict';

const { FacetCounts } = require('./facet-counts');
const { PositionSet, countCommon } = require('../sets/position-set');
const { priceFacet } = require('./price-facet');
const { unite } = require('../sets/set-algebra');
const { FEATURE, valueKey } = require('./value-key');

/** `facets=feature` is at most so many features. */
const MAX_FEATURES = 50;
/** So many values are counted at a time. Then those that cannot be among the most frequent any more are known. */
const GROUP = 100;

/** @typedef {import('./filters').Filters} Filters */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').Work} Work */
/** @typedef {{ name: string, values: import('./facet-counts').Value[], more: number } | import('./price-facet').PriceFacet} Facet */

/**
 * The facets of a query. Each counts the products that obey all filters but its own: the count of a value is what choosing it
 * would add.
 * @param {Work} work @param {Query} query @param {Filters} filters
 * @param {import('../text/text-match').TextMatch} match products that have the words of the query
 * @returns {Promise<Facet[]>}
 */
async function readFacets(work, query, filters, { matched, found }) {
  const without = (/** @type {string} */ name) => (filters.has(name) ? filters.apply(matched, [name]) : found);
  /** @type {Facet[]} */
  const facets = [];
  for (const name of namesOf(query, [...work.index.facets.keys()])) {
    await work.pause();
    if (name === 'price') facets.push(priceFacet(work, without('price')));
    else if (name === 'in_stock') facets.push(await inStockFacet(work, query, without(name)));
    else facets.push(await valuesFacet(work, query, name, without(name)));
  }
  return facets;
}

/** @param {Query} query @param {string[]} known @returns {Set<string>} */
function namesOf({ facets }, known) {
  const features = known.filter((name) => name.startsWith(FEATURE)).slice(0, MAX_FEATURES);
  return new Set(facets.flatMap((name) => (name === 'feature' ? features : [name])));
}

/** @param {Work} work @param {Query} query @param {string} name @param {PositionSet} base @returns {Promise<Facet>} */
async function valuesFacet(work, query, name, base) {
  const facet = name === 'size' && query.inStock ? 'stock.size' : name;
  const selected = new Set(name === 'on_sale' ? (query.onSale ? ['true'] : []) : (query.filters[name] ?? []));
  const known = work.index.facets.get(facet) ?? [];
  const unknown = [...selected].filter((value) => !known.some(([each]) => each === value));
  const counts = new FacetCounts(base, { selected, limit: query.facetValues });
  for (let from = 0; from < known.length; from += GROUP) {
    const values = known.slice(from, from + GROUP);
    const giveBack = work.mark();
    const sets = counts.needSets
      ? await work.sets(values.map(([value, count]) => ({ key: valueKey(facet, value), count })))
      : [];
    counts.add(values, sets);
    giveBack();
    await work.pause();
  }
  counts.add(
    unknown.map((value) => [value, 0]),
    unknown.map(() => PositionSet.empty(work.size)),
  );
  return { name, values: counts.values, more: counts.more };
}

/**
 * With a size chosen, in_stock means that size in stock. So its count is that of products which have the size in stock.
 * @param {Work} work @param {Query} query @param {PositionSet} base
 * @returns {Promise<Facet>}
 */
async function inStockFacet(work, query, base) {
  const sizes = query.filters.size;
  const keys = sizes ? sizes.map((size) => valueKey('stock.size', size)) : [valueKey('in_stock', 'true')];
  const stock = unite(work, await work.sets(keys.map((key) => ({ key }))));
  const count = countCommon(base, stock);
  const values = count > 0 || query.inStock ? [{ value: 'true', count, selected: query.inStock }] : [];
  return { name: 'in_stock', values, more: 0 };
}

exports.readFacets = readFacets;
