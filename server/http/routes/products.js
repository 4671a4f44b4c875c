'use strict';

const { listParams } = require('../params');

/**
 * GET /products?page=&count= or ?after=&count=
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function products({ catalog, reply }) {
  const send = reply('products');
  return (req, res) => {
    const wanted = listParams(req.url);
    return send(
      req,
      res,
      'after' in wanted ? catalog.after(wanted.after, wanted.count) : catalog.page(wanted.page, wanted.count),
    );
  };
}

exports.products = products;
