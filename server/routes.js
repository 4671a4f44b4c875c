'use strict';

const { docs } = require('./http/routes/docs');
const { document } = require('./http/routes/document');
const { explorer } = require('./http/routes/explorer');
const { exported } = require('./http/routes/export');
const { product } = require('./http/routes/product');
const { products } = require('./http/routes/products');
const { menu, search, suggest } = require('./http/routes/search-and-menu');
const { methodNotAllowed } = require('./http/replies/methods');

/**
 * @typedef {object} Parts what a controller is made from
 * @property {import('./catalog/catalog').Catalog} catalog
 * @property {ReturnType<typeof import('./http/replies/reply').createReply>} reply
 * @property {ReturnType<typeof import('./http/replies/stream').createStream>} stream
 */

/**
 * The map of the service. GET answers HEAD too; the order is that of their traffic, since the router
 * tries one after the other. policy.js names their query parameters.
 * @type {[path: import('./core/policy').RoutePath, controller: (parts: Parts) => import('express').RequestHandler][]}
 */
const ROUTES = [
  ['/products/:product_id', product], // one product with its features, and what it includes
  ['/products', products], // a list of products, by page, after an id or by their ids
  ['/products/:product_id/styles', document('styles')], // its styles with photos and skus
  ['/products/:product_id/related', document('related')], // ids of the products shown beside it
  ['/search', search], // products by words and filters, with facets
  ['/suggest', suggest], // completions of a text
  ['/catalog', menu], // facets of the whole catalog, and limits of a search
  ['/export', exported], // all products, one a line
  ['/openapi.json', docs], // this API, described
  ['/docs', docs], // the description as a page
  ['/docs/:asset', docs], // script and style of that page
  ['/', explorer], // a shop window over these routes
  ['/browser/shop/:asset', explorer], // what it loads
  ['/browser/shared/:asset', explorer],
  ['/client/:asset', explorer], // the client that it is built on
];

const PATTERNS = ROUTES.map(([path]) => ({
  path,
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`),
}));

/**
 * The route of a URL, for logs and traces: a path as it came would make a name for each product.
 * @param {string} url
 */
function routeOf(url) {
  const [requested] = url.split('?', 1);
  return PATTERNS.find(({ pattern }) => pattern.test(requested))?.path ?? 'other';
}

/**
 * @param {import('express').Express} app
 * @param {Parts & { preflight: import('express').RequestHandler }} parts
 */
function mountRoutes(app, { preflight, ...parts }) {
  for (const [path, controller] of ROUTES)
    app.route(path).get(controller(parts)).options(preflight).all(methodNotAllowed);
}

exports.ROUTES = ROUTES;
exports.routeOf = routeOf;
exports.mountRoutes = mountRoutes;
