'use strict';

const express = require('express');

const { compressed } = require('../../cache/compress');
const { PROBLEMS, Problem } = require('../../core/errors');
const { createWholeReply } = require('../../internals/node/whole-reply');
const { createHeaders } = require('../replies/headers');
const { createHttpServer } = require('./http-server');
const { messageOptions } = require('./message-options');
const { createPreflight, unknownPath } = require('../replies/methods');
const { afterMinCursor } = require('../params/min-cursor');
const { createProblemHandler } = require('../replies/problem');
const { createAnswer } = require('../replies/json-answer');
const { createReply } = require('../replies/reply');
const { createStream } = require('../replies/stream');
const { withoutBody } = require('./request-body');

/**
 * The public listener, and everything between it and the catalog.
 * @param {object} parts
 * @param {import('../../config/config').Config} parts.config
 * @param {import('../../core/events').Events} parts.events
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../catalog/catalog').Catalog} parts.catalog
 * @param {import('../../catalog/commit-wait').CommitWait} parts.commits
 * @param {import('../../cache/l1').L1} parts.l1
 * @param {import('../../catalog/long-pages').LongPages} parts.longPages
 * @param {{ watch: (listener: import('node:http').RequestListener) => import('node:http').RequestListener }} parts.telemetry
 * @param {import('../../routes').Parts['countSearch']} parts.countSearch
 * @param {typeof import('../../routes').mountRoutes} parts.mountRoutes
 */
function createHttp({ config, events, state, catalog, commits, l1, longPages, telemetry, countSearch, mountRoutes }) {
  const headers = createHeaders(config, catalog);
  const { commonHeaders } = headers;
  /** @type {import('../replies/reply').AtOnce} */
  const atOnce = new Map();
  const reply = createReply({
    headers,
    whole: createWholeReply(config.HTTP_KEEP_ALIVE_TIMEOUT_MS),
    compressed: (entry) => compressed(entry, () => l1.resize(entry)),
    longPages,
    state,
    events,
    atOnce,
  });
  const stream = createStream({ commonHeaders, state, events });
  const answer = createAnswer({ commonHeaders, state, events, gzipMinBytes: config.GZIP_MIN_BYTES });
  const preflight = createPreflight({ commonHeaders, state, events });
  const refuse = createProblemHandler({ commonHeaders, state, events });
  const app = createApp((each) => {
    mountRoutes(each, { catalog, reply, stream, answer, preflight, origin: config.CORS_ORIGIN, countSearch });
    each.use(unknownPath);
  }, refuse);
  const messages = messageOptions(app);
  const listener = telemetry.watch(
    withoutBody(createListener(afterMinCursor(app, commits), refuse, preflight), refuse),
  );
  const http = createHttpServer({ config, messages, commonHeaders, events, refuse, listener });
  return { http, messages, atOnce };
}

/**
 * The Express application. No middleware runs before the routes: what every reply needs is kept with its entry
 * (http/headers.js), and what few requests need is done where it is needed.
 * @param {(app: express.Express) => void} mount adds the routes, and what an unknown path gets
 * @param {import('../replies/problem').Refuse} refuse
 */
function createApp(mount, refuse) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  mount(app);
  app.use(refuse);
  return app;
}

const noHost = () =>
  new Problem(PROBLEMS.malformedRequest, 'The request has no Host header, which HTTP/1.1 requires. Add it.');
const noPath = () => new Problem(PROBLEMS.malformedRequest, 'The request target has no path. Begin it with /.');
const fragment = () => new Problem(PROBLEMS.malformedRequest, 'The request target has a fragment (#…). Leave it out.');

/**
 * Answers what reaches no route:
 * - A target in which Express finds no path (`http://xn--a/x`). Express's own answer waits for the end of the request's body,
 *   which never comes for a request without one (optimizeEmptyRequests).
 * - A request without Host. node:http makes the same check, but its answer is empty.
 * - A fragment, which no client sends (RFC 9112). nginx cuts it off with the query behind it, and would cache a long list as a short one.
 * - A preflight. If it were refused for an unknown path, the browser would report CORS instead of the status of the request itself.
 * @param {import('../params/min-cursor').Answer} app
 * @param {import('../replies/problem').Refuse} refuse
 * @param {express.RequestHandler} [preflight] where pages of other origins may read
 * @returns {import('node:http').RequestListener}
 */
const createListener = (app, refuse, preflight) => (message, response) => {
  const [req, res] = /** @type {[express.Request, express.Response]} */ ([message, response]);
  if (req.headers.host === undefined && req.httpVersionMinor === 1) refuse(noHost(), req, res);
  else if (message.url?.includes('#')) refuse(fragment(), req, res);
  else if (preflight && req.method === 'OPTIONS' && req.headers['access-control-request-method'])
    preflight(req, res, () => {});
  else app(req, res, (error) => refuse(error ?? noPath(), req, res));
};

exports.createHttp = createHttp;
exports.createApp = createApp;
exports.createListener = createListener;
