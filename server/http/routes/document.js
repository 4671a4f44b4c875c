'use strict';

const { productId } = require('../params/params');

/**
 * GET /products/:product_id and the paths below it: documents that the load has prepared.
 * @param {import('../../catalog/catalog').DocumentRoute} route
 * @returns {(parts: import('../../routes').Parts) => import('express').RequestHandler}
 */
const document =
  (route) =>
  ({ catalog, reply }) => {
    const send = reply(route);
    return (req, res) => send(req, res, catalog.document(route, productId(req)));
  };

exports.document = document;
