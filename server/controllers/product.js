'use strict';

const { productId } = require('../web/params');

/**
 * GET /products/:product_id
 * @param {import('../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function product({ catalog, reply }) {
  const send = reply('product');
  return (req, res) => send(req, res, catalog.document('product', productId(req)));
}

exports.product = product;
