'use strict';

const { ranksOfPage } = require('../orders/order-page');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../index/search-index').SearchIndex} SearchIndex */
/** @typedef {{ min_price: string, max_price: string, count: number }} Band */
/** @typedef {{ name: 'price', min: string | null, max: string | null, values: Band[] }} PriceFacet null: no product */

/**
 * The prices of some products: the lowest, the highest, and how many are in each band. Bands are the tenths of the catalog by price.
 * @param {{ index: SearchIndex }} context @param {OrdinalSet} products
 * @returns {PriceFacet}
 */
function priceFacet({ index: { byPrice, prices } }, products) {
  if (products.count === 0) return { name: 'price', min: null, max: null, values: [] };
  const edges = prices.bandEdges();
  const { before, first, last } = products.bits
    ? ofMany(byPrice, products, edges)
    : ofFew(byPrice, /** @type {Int32Array} */ (products.ordinals), edges);
  const bands = edges.slice(1).map((end, band) => ({
    min_price: prices.at(edges[band]),
    max_price: prices.at(end - 1),
    count: before[band + 1] - before[band],
  }));
  return {
    name: 'price',
    min: prices.at(first),
    max: prices.at(last),
    values: bands.filter(({ count }) => count > 0),
  };
}

/** @typedef {{ before: number[], first: number, last: number }} Spread products before each edge, and the ranks of two */

/** @param {import('../orders/order').Order} order @param {OrdinalSet} products @param {number[]} edges @returns {Spread} */
function ofMany(order, products, edges) {
  const bits = /** @type {Int32Array} */ (products.bits);
  const before = edges.map((edge) => order.countBefore(bits, edge));
  const [first, last] = [false, true].map(
    (descending) => ranksOfPage(order, products, { descending, start: { offset: 0 }, count: 1 })[0],
  );
  return { before, first, last };
}

/** @param {import('../orders/order').Order} order @param {Int32Array} ordinals @param {number[]} edges @returns {Spread} */
function ofFew({ ranks, size }, ordinals, edges) {
  const counts = edges.map(() => 0);
  let [first, last] = [size, -1];
  for (const ordinal of ordinals) {
    const rank = ranks[ordinal];
    if (rank < first) first = rank;
    if (rank > last) last = rank;
    let band = edges.length - 1;
    while (edges[band] > rank) band -= 1;
    counts[band] += 1;
  }
  let sum = 0;
  const before = counts.map((count) => (sum += count) - count);
  return { before, first, last };
}

exports.priceFacet = priceFacet;
