'use strict';

const { createApp } = require('./app');
const { compressed } = require('../cache/compress');
const { createHeaders } = require('./headers');
const { createHttpServer } = require('./http-server');
const { messageOptions } = require('./message-options');
const { createReply } = require('./reply');
const { createWholeReply } = require('../internals/node/whole-reply');

/**
 * The public listener, with all that stands between it and the catalog.
 * @param {object} parts
 * @param {import('../config/config').Config} parts.config
 * @param {import('../events').Events} parts.events
 * @param {{ draining: boolean }} parts.state
 * @param {import('../catalog/catalog').Catalog} parts.catalog
 * @param {import('../cache/l1').L1} parts.l1
 * @param {ReturnType<typeof import('../observe/tracing/create-telemetry').createTelemetry>} parts.telemetry
 */
function createFront({ config, events, state, catalog, l1, telemetry }) {
  const headers = createHeaders(config);
  /** @type {import('./reply').AtOnce} */
  const atOnce = new Map();
  const reply = createReply({
    headers,
    whole: createWholeReply(config.HTTP_KEEP_ALIVE_TIMEOUT_MS),
    compressed: (entry) => compressed(entry, () => l1.resize(entry)),
    state,
    events,
    atOnce,
  });
  const { commonHeaders } = headers;
  const { app, ...answers } = createApp({ catalog, reply, commonHeaders, state, events });
  const messages = messageOptions(app);
  return {
    http: createHttpServer({
      config,
      messages,
      commonHeaders,
      events,
      ...answers,
      listener: telemetry.watch(answers.listener),
    }),
    messages,
    atOnce,
  };
}

exports.createFront = createFront;
