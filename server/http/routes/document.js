'use strict';

const { productId } = require('../params');

/**
 * GET /products/:product_id and what lies below it: a reply that the load has written, as it is.
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
