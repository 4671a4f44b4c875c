import { check } from 'k6';

const isPrice = (/** @type {unknown} */ value) => /^\d+\.\d{2,}$/.test(String(value));
// JSON.parse, not reply.json(), which loses the order of keys; it is part of the contract.
const keysOf = (/** @type {object} */ value) => Object.keys(value).join();

const listKeys = 'id,campus,name,slogan,description,category,default_price,created_at,updated_at';
const styleKeys = 'style_id,name,original_price,sale_price,default?,photos,skus';

/** What a body must look like, so that a fast wrong answer does not count as an answer. */
const shapes = {
  products: (body) => body.length > 0 && body.every((one) => keysOf(one) === listKeys),
  product: (body, id) =>
    body.id === id &&
    keysOf(body) === `${listKeys},features` &&
    isPrice(body.default_price) &&
    body.features.every((one) => keysOf(one) === 'feature,value'),
  styles: (body, id) =>
    body.product_id === String(id) &&
    body.results.every(
      (style) =>
        keysOf(style) === styleKeys &&
        isPrice(style.original_price) &&
        style.photos.length > 0 &&
        Object.values(style.skus).every((sku) => keysOf(sku) === 'quantity,size'),
    ),
  related: (body) => body.every((id) => Number.isInteger(id) && id > 0),
};

/**
 * @param {import('k6/http').Response} response
 * @param {keyof typeof shapes} route
 * @param {number} [id] of the product that was asked for
 */
export function checkReply(response, route, id) {
  return check(response, {
    [`${route}: status 200`]: (reply) => reply.status === 200,
    [`${route}: the body of the contract`]: (reply) =>
      reply.status === 200 && shapes[route](JSON.parse(reply.body), id),
  });
}
