'use strict';

const { givenRequestId } = require('../../http/replies/request-id');
const { loggedUrl } = require('./logged-url');
const { createSampler } = require('./sampler');

/** A line takes about 20 µs: at this rate 0.2 % of a core. */
const MAX_LINES_PER_SECOND = 100;

/** @typedef {import('node:http').IncomingMessage} Request @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('./tracing').Traced} Traced */

/**
 * Wraps the application and records a few requests: a line in the access log, a trace. Every other request costs one
 * or two random numbers.
 * @param {object} parts
 * @param {import('../../config/config').Config} parts.config
 * @param {(url: string) => string} parts.routeOf
 * @param {(fields: object) => void} parts.writeLine
 * @param {ReturnType<typeof import('./tracing').createTracing> | null} parts.tracing null: off
 * @returns {(app: import('node:http').RequestListener) => import('node:http').RequestListener}
 */
function createRequestWatch({ config, routeOf, writeLine, tracing }) {
  const ratio = config.ACCESS_LOG_RATIO;
  if (ratio === 0 && !tracing) return (app) => app;
  const logged = createSampler({ ratio, maxPerSecond: MAX_LINES_PER_SECOND });

  /** @typedef {{ req: Request, res: Response, traced: Traced | null, startedMs: number }} Watched */
  /** @param {Watched} watched @param {boolean} complete */
  function record({ req, res, traced, startedMs }, complete) {
    if (traced) tracing?.end(traced, res.statusCode, complete);
    writeLine({
      requestId: givenRequestId(req),
      ...(traced && { traceId: traced.traceId }),
      method: req.method,
      url: loggedUrl(req.url ?? ''),
      route: routeOf(req.url ?? ''),
      status: res.statusCode,
      ms: Math.round((performance.now() - startedMs) * 100) / 100,
      ...(!complete && { aborted: true }),
    });
  }

  /**
   * A reply that is already written gets no listener: listeners on a few replies make V8 compile Node's code for the end of all
   * replies less well.
   * @param {import('node:http').RequestListener} app @param {Request} req @param {Response} res @param {Traced | null} traced
   */
  function watch(app, req, res, traced) {
    const watched = { req, res, traced, startedMs: performance.now() };
    if (traced && tracing) tracing.handle(traced, () => app(req, res));
    else app(req, res);
    if (res.writableEnded) record(watched, !res.destroyed);
    else res.once('close', () => record(watched, res.writableFinished));
  }

  return (app) => (req, res) => {
    const traced = tracing?.begin(req) ?? null;
    if (traced || logged()) watch(app, req, res, traced);
    else app(req, res);
  };
}

exports.createRequestWatch = createRequestWatch;
