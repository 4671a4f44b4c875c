'use strict';

const { productInclude } = require('../params/list-params');
const { productId } = require('../params/params');

/**
 * GET /products/:product_id?include=
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function product({ catalog, reply }) {
  const send = reply('product');
  const sendIncluded = reply('included');
  return (req, res) => {
    const id = productId(req);
    const include = productInclude(req.url);
    return include
      ? sendIncluded(req, res, catalog.product(id, include))
      : send(req, res, catalog.document('product', id));
  };
}

exports.product = product;
