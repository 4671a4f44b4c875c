'use strict';

const { productId } = require('../web/params');

/**
 * GET /products/:product_id/related
 * @param {import('../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function related({ catalog, reply }) {
  const send = reply('related');
  return (req, res) => send(req, res, catalog.document('related', productId(req)));
}

exports.related = related;
