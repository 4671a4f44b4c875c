/**
 * How much do reads cost beside writes, and are the writes themselves acknowledged in time?
 * Prices of random products and quantities in requests of 100 change while a storefront reads. They stay changed: use a copy.
 */
import http from 'k6/http';
import { checkWrite } from './lib/checks.js';
import { drawProduct, setup as readCatalog } from './lib/ids.js';
import { noteLateness } from './lib/lateness.js';
import { secondsOf, together } from './lib/loads.js';
import { summarise } from './lib/summary.js';
import { getAll, params } from './lib/target.js';

const writer = (__ENV.WRITER_URL || 'http://127.0.0.1:7030').replace(/\/$/, '');
const seconds = secondsOf(__ENV.DURATION || '30s');
const rates = { mix: __ENV.RATE || 100, patch: __ENV.PATCH_RATE || 10, stock: __ENV.STOCK_RATE || 10 };
/** For 99 of 100 writes: each waits for the disk. */
const budgetMs = 100;
const operations = 100;
/** Their skus get quantities. */
const stocked = 200;

const { rows, options } = together(
  Object.entries(rates).map(([route, rate]) => ({
    route,
    rate: Number(rate),
    seconds,
    ...(route === 'mix' ? {} : { budgetMs }),
  })),
);

export { options };
export const handleSummary = summarise(rows);
export { mix } from './lib/routes.js';
export { teardown } from './lib/workers.js';

/** @returns {import('./lib/ids.js').Catalog & { skus: number[] }} */
export function setup() {
  if (!__ENV.WRITER_KEY) throw new Error('set WRITER_KEY: npm run key -- create k6 --scopes content,stock');
  const catalog = readCatalog();
  const ids = Array.from({ length: stocked }, () => drawProduct(catalog, 'product').id);
  const replies = getAll(ids.map((id) => `/products/${id}/styles`)).flatMap(({ body }) => JSON.parse(body).results);
  const skus = replies.flatMap((style) => Object.keys(style.skus).filter((id) => id !== 'null')).map(Number);
  return { ...catalog, skus: [...new Set(skus)] };
}

/** @param {string} route @param {string} type of the body @param {Record<string, string>} [more] headers */
function writing(route, type, more) {
  const own = { Authorization: `Bearer ${__ENV.WRITER_KEY}`, 'Content-Type': type, 'X-Reason': 'k6', ...more };
  return { ...params(route), headers: own };
}

const amount = (/** @type {number} */ below) => Math.floor(Math.random() * below);

/** A price of a product. @param {import('./lib/ids.js').Catalog} catalog */
export function patch(catalog) {
  noteLateness();
  const { id } = drawProduct(catalog, 'product');
  const price = (1 + amount(100_000) / 100).toFixed(2);
  const sent = writing('patch', 'application/merge-patch+json');
  const reply = http.patch(`${writer}/products/${id}`, JSON.stringify({ default_price: price }), sent);
  checkWrite(reply, 'patch', 200, { id }, (body) => body.default_price === price);
}

/** Quantities, acknowledged when they are logged. @param {{ skus: number[] }} catalog */
export function stock({ skus }) {
  noteLateness();
  const first = amount(skus.length);
  const set = Array.from({ length: operations }, (_, n) => [skus[(first + n) % skus.length], amount(100)]);
  const sent = writing('stock', 'application/json', { Prefer: 'respond-async' });
  const reply = http.post(`${writer}/stock`, JSON.stringify({ set, compare: 'none' }), sent);
  checkWrite(reply, 'stock', 202, { id: set[0][0] }, (body) => body.operations === operations);
}
