'use strict';

const { productId } = require('../web/params');

/**
 * GET /products/:product_id/styles
 * @param {import('../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function styles({ catalog, reply }) {
  const send = reply('styles');
  return (req, res) => send(req, res, catalog.document('styles', productId(req)));
}

exports.styles = styles;
