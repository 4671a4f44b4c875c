'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { codeDigest } = require('./code-digest');
const { createRequestWatch } = require('./requests');

const home = join(__dirname, '../../..');
const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));

/** The build of this worker, for catalog_build_info. */
const build = { version, code: codeDigest(home), node_version: process.versions.node };

/**
 * Access log, traces and New Relic. What is switched off is not loaded: OpenTelemetry and the New Relic agent are 20 MB
 * each.
 * @param {object} parts
 * @param {import('../../config/config').Config} parts.config
 * @param {import('./new-relic').L1Reads} parts.l1
 * @param {import('../../core/events').Events} parts.events
 * @param {(url: string) => string} parts.routeOf
 * @param {(fields: object) => void} parts.writeLine one line of the access log
 */
function createTelemetry({ config, l1, events, routeOf, writeLine }) {
  const tracing = config.OTLP_TRACES_URL
    ? require('./tracing').createTracing({ config, events, version, routeOf })
    : null;
  const agent = config.NEW_RELIC_LICENSE_KEY ? require('./new-relic').reportTimings(events, l1) : null;
  return {
    name: 'telemetry',
    /** Wraps the application. */
    watch: createRequestWatch({ config, routeOf, writeLine, tracing }),
    comment: tracing?.comment,
    follow: tracing?.follow,
    open: () => {},
    async close() {
      await Promise.all([tracing?.close(), agent?.close()]);
    },
  };
}

exports.createTelemetry = createTelemetry;
exports.build = build;
