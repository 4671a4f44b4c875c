import { ask } from './checks.js';
import { drawPage, drawProduct } from './ids.js';
import { noteLateness } from './lateness.js';

/** @typedef {import('./ids.js').Catalog} Catalog */

/** Rows of a page: what a storefront asks for when it does not say. scripts/k6/references.js has digests of pages of so many. */
const count = 5;

/** @param {Catalog} catalog */
export function list(catalog) {
  noteLateness();
  const { page, digest } = drawPage(catalog, count);
  ask(`/products?page=${page}&count=${count}`, 'list', {
    digest,
    count: Math.min(count, catalog.rows),
    leastId: (page - 1) * count + 1, // ids ascend from 1: the page of an earlier place has a smaller one sooner or later
  });
}

/** The routes of one product. @param {string} route @param {string} tail of the path */
const byId = (route, tail) => (/** @type {Catalog} */ catalog) => {
  noteLateness();
  const wanted = drawProduct(catalog, route);
  ask(`/products/${wanted.id}${tail}`, route, wanted);
};

export const product = byId('product', '');
export const styles = byId('styles', '/styles');
export const related = byId('related', '/related');

/** What a page of a shop asks for: 4 products, 1 list, 1 styles, 1 related. */
const shares = [product, product, product, product, list, styles, related];

/** @param {Catalog} catalog */
export const mix = (catalog) => shares[Math.floor(Math.random() * shares.length)](catalog);

/** What a rate can be asked of; `mix` is figures of its own and of each route in it. */
export const routeNames = ['list', 'product', 'styles', 'related'];
