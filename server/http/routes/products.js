'use strict';

const { listParams } = require('../params/list-params');

/**
 * GET /products?page=&count=, ?after=&count= or ?ids=, each with &include=
 * @param {import('../../routes').Parts} parts
 * @returns {import('express').RequestHandler}
 */
function products({ catalog, reply }) {
  const send = reply('products');
  const sendBatch = reply('batch');
  return (req, res) => {
    const wanted = listParams(req.url);
    const { count, include } = wanted;
    if ('ids' in wanted) return sendBatch(req, res, catalog.batch(wanted.ids, include));
    if ('after' in wanted) return send(req, res, catalog.after(wanted.after, count, include));
    return send(req, res, catalog.page(wanted.page, count, include));
  };
}

exports.products = products;
