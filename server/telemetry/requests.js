'use strict';

const { givenRequestId } = require('../web/request-id');
const { createSampler } = require('./sampler');

/** A line takes about 20 µs: at this rate 0.2 % of a core. */
const MAX_LINES_PER_SECOND = 100;

/**
 * Stands before the application and looks closely at a few requests: a line in the access log, a trace. What
 * it does for every other request is to draw a random number, or two.
 * @param {object} parts
 * @param {import('../config').Config} parts.config
 * @param {(url: string) => string} parts.routeOf
 * @param {(fields: object) => void} parts.writeLine
 * @param {ReturnType<typeof import('./tracing').createTracing> | null} parts.tracing null: off
 * @returns {(app: import('node:http').RequestListener) => import('node:http').RequestListener}
 */
function createRequestWatch({ config, routeOf, writeLine, tracing }) {
  const ratio = config.ACCESS_LOG_RATIO;
  if (ratio === 0 && !tracing) return (app) => app;
  const logged = createSampler({ ratio, maxPerSecond: MAX_LINES_PER_SECOND });

  return (app) => (req, res) => {
    const traced = tracing?.begin(req) ?? null;
    if (!traced && !logged()) return app(req, res);
    const startedMs = performance.now();
    res.once('close', () => {
      const complete = res.writableFinished;
      if (traced) tracing?.end(traced, res.statusCode, complete);
      writeLine({
        requestId: givenRequestId(req),
        ...(traced && { traceId: traced.traceId }),
        method: req.method,
        url: req.url,
        route: routeOf(req.url ?? ''),
        status: res.statusCode,
        ms: Math.round((performance.now() - startedMs) * 100) / 100,
        ...(!complete && { aborted: true }),
      });
    });
    return traced && tracing ? tracing.run(traced, () => app(req, res)) : app(req, res);
  };
}

exports.createRequestWatch = createRequestWatch;
