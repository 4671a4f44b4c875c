'use strict';

const { shownValue } = require('../../core/field-range');
const { countCommon } = require('../sets/ordinal-set');
const { intersect } = require('../sets/set-algebra');
const { ranksOfPage } = require('../orders/order-page');

/** @typedef {import('../orders/scale').Scale} Scale @typedef {import('../orders/order').Order} Order */
/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet @typedef {import('../query-context').QueryContext} QueryContext */
/** @typedef {{ min_price: string, max_price: string, count: number } | { min: string, max: string, count: number }} Band */
/** @typedef {{ name: string, min: string | null, max: string | null, values: Band[] }} ScaleFacet null: no product */
/** @typedef {{ counts: number[], first: number, last: number }} Spread products of each band, and the ranks of the lowest and highest value */

/** @param {QueryContext} context @param {OrdinalSet} products @returns {Promise<ScaleFacet>} */
async function priceFacet(context, products) {
  const { values, ...facet } = scaleFacet(context, await context.scale('price'), products);
  return {
    name: 'price',
    ...facet,
    values: values.map(({ min, max, count }) => ({ min_price: min, max_price: max, count })),
  };
}

/** @param {QueryContext} context @param {string} name @param {import('../../core/field-range').Field} field @param {OrdinalSet} products @returns {Promise<ScaleFacet>} */
async function fieldFacet(context, name, { type }, products) {
  const scale = await context.scale(name);
  const having = intersect(context, [products, scale.having(context)]);
  return { name, ...scaleFacet(context, scale, having, (value, next) => shownValue(type, value, next)) };
}

/**
 * The values of some products: the lowest, the highest, and how many are in each band. Bands are the tenths of the catalog by value.
 * @param {QueryContext} context @param {Scale} scale @param {OrdinalSet} products that have a value
 * @param {(value: string, next: string | undefined) => string} show
 */
function scaleFacet(context, scale, products, show = (value) => value) {
  if (products.count === 0) return { min: null, max: null, values: [] };
  const { values } = scale;
  const edges = values.bandEdges();
  const { counts, first, last } = spreadOf(context, scale, products, edges);
  const at = (/** @type {number} */ rank) => show(values.at(rank), values.behind(rank));
  const bands = counts.map((count, band) => ({ band, count })).filter(({ count }) => count > 0);
  return {
    min: at(first),
    max: at(last),
    values: bands.map(({ band, count }) => ({ min: at(edges[band]), max: at(edges[band + 1] - 1), count })),
  };
}

/** @param {QueryContext} context @param {Scale} scale @param {OrdinalSet} products @param {number[]} edges @returns {Spread} */
function spreadOf(context, scale, products, edges) {
  if (scale.hasRepeats) return ofSeveral(context, scale, products, edges);
  if (products.bits) return ofMany(scale.order, products, edges);
  return ofFew(scale.order, /** @type {Int32Array} */ (products.ordinals), edges);
}

/** A product counts once in each band. @param {QueryContext} context @param {Scale} scale @param {OrdinalSet} products @param {number[]} edges @returns {Spread} */
function ofSeveral(context, scale, products, edges) {
  const counts = edges.slice(1).map((end, band) => {
    const giveBack = context.mark();
    const count = countCommon(products, scale.range(context, edges[band], end));
    giveBack();
    return count;
  });
  const [low, high] = [counts.findIndex((count) => count > 0), counts.findLastIndex((count) => count > 0)];
  const has = (/** @type {number} */ ordinal) => products.has(ordinal);
  const inBand = (/** @type {number} */ band) => scale.order.ordinals.subarray(edges[band], edges[band + 1]);
  return {
    counts,
    first: edges[low] + inBand(low).findIndex(has),
    last: edges[high] + inBand(high).findLastIndex(has),
  };
}

/** @param {Order} order @param {OrdinalSet} products @param {number[]} edges @returns {Spread} */
function ofMany(order, products, edges) {
  const bits = /** @type {Int32Array} */ (products.bits);
  const before = edges.map((edge) => order.countBefore(bits, edge));
  const [first, last] = [false, true].map(
    (descending) => ranksOfPage(order, products, { descending, start: { offset: 0 }, count: 1 })[0],
  );
  return { counts: before.slice(1).map((count, band) => count - before[band]), first, last };
}

/** @param {Order} order @param {Int32Array} ordinals @param {number[]} edges @returns {Spread} */
function ofFew({ ranks, length }, ordinals, edges) {
  const counts = edges.slice(1).map(() => 0);
  let [first, last] = [length, -1];
  for (const ordinal of ordinals) {
    const rank = ranks[ordinal];
    if (rank < first) first = rank;
    if (rank > last) last = rank;
    let band = counts.length - 1;
    while (edges[band] > rank) band -= 1;
    counts[band] += 1;
  }
  return { counts, first, last };
}

exports.fieldFacet = fieldFacet;
exports.priceFacet = priceFacet;
