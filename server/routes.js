'use strict';

const { docs } = require('./http/routes/docs');
const { document } = require('./http/routes/document');
const { explorer } = require('./http/routes/explorer');
const { exported } = require('./http/routes/export');
const { googleFeed, openaiFeed } = require('./http/routes/feed');
const { mcp } = require('./http/routes/mcp');
const { product } = require('./http/routes/product');
const { products } = require('./http/routes/products');
const { sku, skus } = require('./http/routes/skus');
const { menu, search, suggest } = require('./http/routes/search-and-menu');
const { sitemap } = require('./http/routes/sitemap');
const { ucpLookup, ucpProduct, ucpProfile, ucpSearch } = require('./http/routes/agents');
const { isPostRoute } = require('./core/policy');
const { methodNotAllowed, onlyPost } = require('./http/replies/methods');

/** @typedef {import('./cache/entry').Entry} Entry */
/**
 * @typedef {object} Parts what a controller is made from
 * @property {import('./catalog/catalog').Catalog} catalog
 * @property {ReturnType<typeof import('./http/replies/reply').createReply>} reply
 * @property {ReturnType<typeof import('./http/replies/stream').createStream>} stream
 * @property {ReturnType<typeof import('./http/replies/json-answer').createAnswer>} answer
 * @property {string} origin of pages that may read: one, or *
 * @property {(found: Entry | Promise<Entry>) => void} countSearch takes the reply to each search with words
 */

/**
 * The map of the service. GET answers HEAD too, other than on routes of POST; the order is that of their traffic, since the router
 * tries one after the other. policy.js names their query parameters.
 * @type {[path: import('./core/policy').RoutePath, controller: (parts: Parts) => import('express').RequestHandler][]}
 */
const ROUTES = [
  ['/products/:product_id', product], // one product with its features, and what it includes
  ['/products', products], // a list of products, by page, after an id or by their ids
  ['/products/:product_id/styles', document('styles')], // its styles with photos and skus
  ['/products/:product_id/related', document('related')], // ids of the products shown beside it
  ['/skus/:sku_id', sku], // one sku with the names and the price of its product and style
  ['/skus', skus], // skus by their ids, as those of a cart
  ['/search', search], // products by words and filters, with facets
  ['/suggest', suggest], // completions of a text
  ['/catalog', menu], // facets of the whole catalog, and limits of a search
  ['/export', exported], // all products, one a line
  ['/sitemap.xml', sitemap], // addresses of sitemaps
  ['/sitemap-:number.xml', sitemap], // addresses of products, 50,000 in each
  ['/feeds/google.tsv', googleFeed], // all variants, for Google
  ['/feeds/openai.jsonl', openaiFeed], // and for OpenAI
  ['/.well-known/ucp', ucpProfile], // what follows, for agents that look for it
  ['/ucp/catalog/search', ucpSearch], // POST: products by words and filters, as agents ask
  ['/ucp/catalog/lookup', ucpLookup], // POST: products by ids of their own or of variants
  ['/ucp/catalog/product', ucpProduct], // POST: one product, by its options
  ['/ucp/mcp', mcp], // POST: the same three as tools of the Model Context Protocol
  ['/openapi.json', docs], // this API, described
  ['/llms.txt', docs], // in lines, for language models
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
  for (const [path, controller] of ROUTES) {
    const route = app.route(path).options(preflight);
    if (isPostRoute(path)) route.post(controller(parts)).all(onlyPost);
    else route.get(controller(parts)).all(methodNotAllowed);
  }
}

exports.ROUTES = ROUTES;
exports.routeOf = routeOf;
exports.mountRoutes = mountRoutes;
