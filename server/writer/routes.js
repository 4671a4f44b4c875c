'use strict';

const { PROBLEMS, Problem } = require('../core/errors');
const { onlyMethods } = require('../http/replies/methods');
const { describe } = require('./content/described');
const { bulk } = require('./http/bulk');
const { changes, changesStream } = require('./http/changes');
const { mountEditor } = require('./http/editor');
const { diff, revision, revisions, rollback } = require('./http/history');
const { productStock } = require('./http/product-stock');
const { deleted, read, written } = require('./http/products');
const { quantity, stock, write } = require('./http/quantities');
const { visibility } = require('./http/set-visibility');

/**
 * @typedef {object} Parts what a handler is made from
 * @property {import('./http/api-keys').ApiKeys} keys
 * @property {import('./database/writer-database').WriterDatabase} database
 * @property {import('./feed/feed').Feed} feed
 * @property {import('./http/limits').Limits} limits
 * @property {import('../core/events').Events} events
 * @property {{ draining: boolean }} state
 * @property {import('./http/write-headers').UnderWay['once']} once
 * @property {(write: import('./writes/types').Write) => Promise<import('./writes/types').Reply>} add to the queue; once a key
 * @property {StockParts} stock
 */
/**
 * @typedef {object} StockParts
 * @property {import('./http/limits').Share} memory
 * @property {(request: import('./stock/log').Request, waits: boolean) => Promise<import('./stock/stock').Outcome>} write once a key
 * @property {import('./stock/stock').Stock['read']} read
 */
/** @typedef {import('./http/products').Handler} Handler */
/** @typedef {'get' | 'put' | 'patch' | 'delete' | 'post'} Method */

/** The description of the API, with the fields of the load that is served as far as is known. @param {Parts} parts @returns {Handler} */
const openapi =
  ({ database }) =>
  async () => {
    const { rules } = await database.readLoad().catch(() => database.load);
    return { status: 200, body: describe(rules.declaration) };
  };

/**
 * The routes of the writer. GET answers HEAD too.
 * @param {Parts} parts
 * @returns {[path: string, handlers: Partial<Record<Method, [name: string, handle: Handler]>>][]} the name is for metrics
 */
const routesOf = (parts) => [
  [
    '/products/:product_id',
    {
      get: ['read', read(parts)],
      put: ['put', written(parts, 'put')],
      patch: ['patch', written(parts, 'patch')],
      delete: ['delete', deleted(parts)],
    },
  ],
  ['/products', { post: ['create', written(parts, 'create')] }],
  ['/bulk', { post: ['bulk', bulk(parts)] }],
  ['/products/:product_id/rollback', { post: ['rollback', rollback(parts)] }],
  ['/products/:product_id/hide', { post: ['hide', visibility(parts, 'hide')] }],
  ['/products/:product_id/publish', { post: ['publish', visibility(parts, 'publish')] }],
  ['/products/:product_id/revisions', { get: ['revisions', revisions(parts)] }],
  ['/products/:product_id/revisions/:revision', { get: ['revision', revision(parts)] }],
  ['/products/:product_id/revisions/:revision/diff', { get: ['diff', diff(parts)] }],
  ['/stock', { post: ['stock', stock(parts)] }],
  ['/skus/:sku_id/quantity', { put: ['quantity', quantity(parts)] }],
  ['/writes/:position', { get: ['write', write(parts)] }],
  ['/changes', { get: ['changes', changes(parts)] }],
  ['/changes/stream', { get: ['stream', changesStream(parts)] }],
  ['/products/:product_id/stock', { get: ['product-stock', productStock(parts)] }],
  ['/openapi.json', { get: ['openapi', openapi(parts)] }],
];

/**
 * @param {import('express').Express} app @param {Parts} parts
 * @param {ReturnType<typeof import('./http/write-reply').createWriteReply>} reply
 */
function mountRoutes(app, parts, reply) {
  for (const [path, handlers] of routesOf(parts)) {
    const route = app.route(path);
    const methods = /** @type {Method[]} */ (Object.keys(handlers));
    for (const method of methods) {
      const [name, handle] = /** @type {[string, Handler]} */ (handlers[method]);
      route[method](reply(name, handle));
    }
    const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    route.all(onlyMethods(allowed.join(', ')));
  }
  mountEditor(app);
  app.use((req) => {
    throw new Problem(PROBLEMS.unknownPath, `No route has the path ${req.path}. /openapi.json lists the routes.`);
  });
}

exports.mountRoutes = mountRoutes;
