import exec from 'k6/execution';
import { baseUrl, getAll } from './target.js';

/** Pages that are read before the traffic, spread over the catalog: a product has about ten skus. */
const windows = 20;
const windowRows = 50;

/** Digits of an id in the text: an id is below 2^31. */
const width = 10;

const ofSkus = ['sku', 'skus'];

/** Only scenarios that read skus need their ids. */
export const needsSkus = () => Object.values(exec.test.options.scenarios).some((one) => ofSkus.includes(one.exec));

/** @param {number} rows products in the catalog @returns {string} ids of equal width: one text, because each user holds a copy (as in ids.js) */
export function readSkus(rows) {
  const pages = Math.ceil(rows / windowRows);
  const wanted = Array.from({ length: Math.min(windows, pages) }, (_, n) => 1 + Math.floor((n * pages) / windows));
  const paths = [...new Set(wanted)].map((page) => `/products?page=${page}&count=${windowRows}&include=styles`);
  const ids = getAll(paths).flatMap(({ body }) =>
    [...body.matchAll(/"(\d+)":\{"quantity":\d/g)].map(([, id]) => id.padStart(width, '0')),
  );
  if (ids.length === 0) throw new Error(`${baseUrl} has no skus: use --route all`);
  return ids.join('');
}

/** @param {import('./ids.js').Catalog} catalog @returns {number} an id that exists */
export function drawSku({ skus }) {
  const at = Math.floor((Math.random() * skus.length) / width) * width;
  return Number(skus.slice(at, at + width));
}
