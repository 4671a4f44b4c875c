import { getJson } from './target.js';

/** @param {number} page */
const idAt = (page) => getJson(`/products?page=${page}&count=1`)[0]?.id;

/** @returns {number} how many products there are: doubling, then bisection over pages of one, about 40 requests */
export function countProducts() {
  let known = 0;
  let empty = 1;
  while (idAt(empty) !== undefined) {
    known = empty;
    empty *= 2;
  }
  while (empty - known > 1) {
    const middle = Math.floor((known + empty) / 2);
    if (idAt(middle) === undefined) empty = middle;
    else known = middle;
  }
  return known;
}

/**
 * Ids that exist, spread over the whole catalog: ids have gaps, so they are read and not guessed.
 * @param {number} wanted
 * @returns {number[]}
 */
export function sampleIds(wanted) {
  const products = countProducts();
  if (products === 0)
    throw new Error('the catalog is empty: load data first (npm run load -- DIR)');
  const samples = Math.min(wanted, products);
  return Array.from({ length: samples }, (_, n) => idAt(1 + Math.floor((n * products) / samples)));
}

/** @param {number[]} ids */
export const pick = (ids) => ids[Math.floor(Math.random() * ids.length)];
