'use strict';

const { FacetCounts } = require('./facet-counts');
const { OrdinalSet, countCommon } = require('../sets/ordinal-set');
const { priceFacet } = require('./price-facet');
const { unite } = require('../sets/set-algebra');
const { FEATURE, valueKey } = require('./value-key');

/** `facets=feature` is at most so many features. */
const MAX_FEATURES = 50;
/** So many values are counted at a time. Then those that cannot be among the most frequent any more are known. */
const GROUP = 100;

/** @typedef {import('./filters').Filters} Filters */
/** @typedef {import('../answers/query').Query} Query */
/** @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ name: string, values: import('./facet-counts').Value[], more: number } | import('./price-facet').PriceFacet} Facet */

/**
 * The facets of a query. Each counts the products that obey all filters but its own: the count of a value is what choosing it
 * would add.
 * @param {QueryContext} context @param {Query} query @param {Filters} filters
 * @param {import('../text/text-match').TextMatch} match products that have the words of the query
 * @returns {Promise<Facet[]>}
 */
async function readFacets(context, query, filters, { matched, found }) {
  const without = (/** @type {string} */ name) => (filters.has(name) ? filters.apply(matched, [name]) : found);
  /** @type {Facet[]} */
  const facets = [];
  for (const name of namesOf(query, [...context.index.facets.keys()])) {
    await context.turn.pause();
    if (name === 'price') facets.push(priceFacet(context, without('price')));
    else if (name === 'in_stock') facets.push(await inStockFacet(context, query, without(name)));
    else facets.push(await valuesFacet(context, query, name, without(name)));
  }
  return facets;
}

/** @param {Query} query @param {string[]} known @returns {Set<string>} */
function namesOf({ facets }, known) {
  const features = known.filter((name) => name.startsWith(FEATURE)).slice(0, MAX_FEATURES);
  return new Set(facets.flatMap((name) => (name === 'feature' ? features : [name])));
}

/** @param {QueryContext} context @param {Query} query @param {string} name @param {OrdinalSet} base @returns {Promise<Facet>} */
async function valuesFacet(context, query, name, base) {
  const facet = name === 'size' && query.inStock ? 'stock.size' : name;
  const selected = new Set(name === 'on_sale' ? (query.onSale ? ['true'] : []) : (query.filters[name] ?? []));
  const known = context.index.facets.get(facet) ?? [];
  const unknown = [...selected].filter((value) => !known.some(([each]) => each === value));
  const counts = new FacetCounts(base, { selected, limit: query.facetValues });
  for (let from = 0; from < known.length; from += GROUP) {
    const values = known.slice(from, from + GROUP);
    const giveBack = context.mark();
    const sets = counts.needSets
      ? await context.sets(values.map(([value, count]) => ({ key: valueKey(facet, value), count })))
      : [];
    counts.add(values, sets);
    giveBack();
    await context.turn.pause();
  }
  counts.add(
    unknown.map((value) => [value, 0]),
    unknown.map(() => OrdinalSet.empty(context.size)),
  );
  return { name, values: counts.values, more: counts.more };
}

/**
 * With a size chosen, in_stock means that size in stock. So its count is that of products which have the size in stock.
 * @param {QueryContext} context @param {Query} query @param {OrdinalSet} base
 * @returns {Promise<Facet>}
 */
async function inStockFacet(context, query, base) {
  const sizes = query.filters.size;
  const keys = sizes ? sizes.map((size) => valueKey('stock.size', size)) : [valueKey('in_stock', 'true')];
  const stock = unite(context, await context.sets(keys.map((key) => ({ key }))));
  const count = countCommon(base, stock);
  const values = count > 0 || query.inStock ? [{ value: 'true', count, selected: query.inStock }] : [];
  return { name: 'in_stock', values, more: 0 };
}

exports.readFacets = readFacets;
