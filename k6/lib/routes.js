import { checkReply } from './checks.js';
import { drawId, drawPage } from './ids.js';
import { noteLateness } from './lateness.js';
import { get } from './target.js';

/** @typedef {import('./ids.js').Catalog} Catalog */

/** Rows of a page: what a storefront asks for when it does not say. */
const count = 5;

/** @param {Catalog} catalog */
export function list(catalog) {
  noteLateness();
  const page = drawPage(catalog, count);
  checkReply(get(`/products?page=${page}&count=${count}`, 'list'), 'list', {
    count: Math.min(count, catalog.rows),
    leastId: (page - 1) * count + 1, // ids ascend from 1: the page of an earlier place has a smaller one sooner or later
  });
}

/** The routes of one product. @param {string} route @param {string} tail of the path */
const byId = (route, tail) => (/** @type {Catalog} */ catalog) => {
  noteLateness();
  const id = drawId(catalog);
  checkReply(get(`/products/${id}${tail}`, route), route, { id });
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
