import { askBeside } from './target.js';

/**
 * Whether a row of a list is the product of that id: the same but for the features. Of two moments of change nothing can
 * be said: a load lies between them.
 */
function isRowOf(row, product) {
  if (!row || !product) return row === undefined || product === undefined;
  if (row.id === product.id && row.updated_at !== product.updated_at) return true;
  return JSON.stringify({ ...row, features: product.features }) === JSON.stringify(product);
}

/** @template T @param {T[]} list @returns {T} */
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/**
 * Where there are no digests: what another route says of the same product. Of styles and of the order of related ids no
 * other route says anything.
 * @type {Record<string, (body: any) => boolean>}
 */
export const agreements = {
  list(body) {
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
