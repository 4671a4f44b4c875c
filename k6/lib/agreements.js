import { askBeside } from './target.js';

/**
 * Is a row of a list the product of that id? Only the features may differ. Two values of `updated_at` mean that a load
 * was served between the requests, so nothing can be said.
 */
function isRowOf(row, product) {
  if (!row || !product) return row === undefined || product === undefined;
  if (row.id === product.id && row.updated_at !== product.updated_at) return true;
  return JSON.stringify({ ...row, features: product.features }) === JSON.stringify(product);
}

/** @template T @param {T[]} list @returns {T} */
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/**
 * Without digests: what another route says about the same product. No other route has styles or the order of related ids.
 * @type {Record<string, (body: any) => boolean>}
 */
export const agreements = {
  products(body) {
    const row = oneOf(body);
    return isRowOf(row, askBeside(`/products/${row.id}`));
  },
  product(body) {
    const rows = askBeside(`/products?${body.id === 1 ? 'page=1' : `after=${body.id - 1}`}&count=1`);
    return rows === undefined || isRowOf(rows?.[0] ?? null, body);
  },
  related(body) {
    if (body.length === 0) return true;
    const id = oneOf(body);
    const product = askBeside(`/products/${id}`);
    return product === undefined || product?.id === id;
  },
};
