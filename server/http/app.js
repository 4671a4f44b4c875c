'use strict';

const express = require('express');

const { PROBLEMS, Problem } = require('../errors');
const { mountRoutes } = require('../routes');
const { createPreflight, unknownPath } = require('./methods');
const { createProblemHandler } = require('./problem');
const { withoutBody } = require('./request-body');

/**
 * The Express application. No middleware stands before the routes: what every reply needs is kept
 * with its entry (http/headers.js), and what few requests need is done where it is needed.
 * @param {object} parts
 * @param {import('../catalog/catalog').Catalog} parts.catalog
 * @param {ReturnType<typeof import('./reply').createReply>} parts.reply
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../events').Events} parts.events
 * @returns {{ app: express.Express, listener: import('node:http').RequestListener, refuse: import('./problem').Refuse }}
 */
function createApp({ catalog, reply, commonHeaders, state, events }) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  const preflight = createPreflight({ commonHeaders, state, events });
  mountRoutes(app, { catalog, reply, preflight });
  app.use(unknownPath);
  const refuse = createProblemHandler({ commonHeaders, state, events });
  app.use(refuse);
  return { app, listener: withoutBody(createListener(app, preflight, refuse), refuse), refuse };
}

const noHost = () => new Problem(PROBLEMS.malformedRequest, 'A request of HTTP/1.1 needs a Host header.');
const noPath = () => new Problem(PROBLEMS.malformedRequest, 'The target has no path.');
const fragment = () => new Problem(PROBLEMS.malformedRequest, 'A target has no fragment (#…): leave it out.');

/**
 * What comes to no handler of ours. A target in which Express finds no path (`http://xn--a/x`): Express's own answer to it
 * waits for the end of the request's body, which never comes for a request that has none (optimizeEmptyRequests), and so
 * for ever. A request without Host: node:http looks for it just as this does, but its own answer to it is empty.
 * A fragment, which no client sends (RFC 9112): nginx cuts it off with the query behind it, and would take a long list for a short
 * one, which it may keep.
 * A preflight: refused for an unknown path, the browser would report CORS instead of the status of the request itself.
 * @param {express.Express} app
 * @param {express.RequestHandler} preflight
 * @param {import('./problem').Refuse} refuse
 * @returns {import('node:http').RequestListener}
 */
const createListener = (app, preflight, refuse) => (message, response) => {
  const [req, res] = /** @type {[express.Request, express.Response]} */ ([message, response]);
  if (req.headers.host === undefined && req.httpVersionMinor === 1) refuse(noHost(), req, res);
  else if (message.url?.includes('#')) refuse(fragment(), req, res);
  else if (req.method === 'OPTIONS' && req.headers['access-control-request-method']) preflight(req, res, () => {});
  else app(req, res, (error) => refuse(error ?? noPath(), req, res));
};

exports.createApp = createApp;
