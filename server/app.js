'use strict';

const express = require('express');

const { mountRoutes } = require('./routes');
const { unknownPath } = require('./web/methods');
const { createProblemHandler } = require('./web/problem');

/**
 * The Express application. No middleware stands before the routes: what every reply needs is in the
 * header arrays of its entry (web/headers.js), and what few requests need is done where it is needed.
 * @param {object} parts
 * @param {import('./catalog/catalog').Catalog} parts.catalog
 * @param {ReturnType<typeof import('./web/reply').createReply>} parts.reply
 * @param {string[]} parts.everywhere headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('./events').Events} parts.events
 */
function createApp({ catalog, reply, everywhere, state, events }) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  mountRoutes(app, { catalog, reply, everywhere });
  app.use(unknownPath);
  app.use(createProblemHandler({ everywhere, state, events }));
  return app;
}

exports.createApp = createApp;
