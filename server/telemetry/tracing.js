'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = require('@opentelemetry/api');

const { EVENTS } = require('../events');
const { within } = require('../lifecycle');
const { givenRequestId } = require('../web/request-id');
const { createProvider } = require('./provider');
const { createSampler } = require('./sampler');
const { parentOf, sqlComment, traceIdOf } = require('./trace-context');

/** The last spans of a worker are not worth a slow stop. */
const CLOSE_MS = 1000;

/**
 * @typedef {object} Traced a request that is being traced
 * @property {import('@opentelemetry/api').Span} span
 * @property {import('@opentelemetry/api').Context} context
 * @property {string} route
 */

/**
 * Traces over OTLP: one span for a sampled request, one for each answer of Redis and PostgreSQL it waited
 * for. No instrumentation is patched in and no context manager installed: a request that is not sampled
 * costs one random number, and the parts know nothing of it but the events they emit anyway.
 * @param {object} parts
 * @param {import('../config').Config} parts.config
 * @param {import('../events').Events} parts.events
 * @param {string} parts.version of the service
 * @param {(url: string) => string} parts.routeOf
 */
function createTracing({ config, events, version, routeOf }) {
  /** @type {AsyncLocalStorage<Traced>} */
  const current = new AsyncLocalStorage();
  const sampled = createSampler({
    ratio: config.TRACE_RATIO,
    maxPerSecond: config.TRACE_MAX_PER_SECOND,
  });
  const { provider, takeTraceId } = createProvider({ config, events, version });
  const tracer = provider.getTracer('catalog');
  recordWaits(events, tracer, current);

  return {
    /** @param {import('node:http').IncomingMessage} req @returns {Traced | null} null: not sampled */
    begin(req) {
      const parent = parentOf(req.headers.traceparent);
      if (!sampled(Boolean(parent?.traceFlags))) return null;
      const route = routeOf(req.url ?? '');
      const requestId = givenRequestId(req);
      takeTraceId(traceIdOf(requestId));
      const above = parent
        ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: 1 })
        : ROOT_CONTEXT;
      const attributes = {
        ...{ 'http.request.method': req.method ?? '', 'http.route': route },
        ...{ 'url.path': req.url ?? '', 'catalog.request_id': requestId ?? '' },
      };
      const kind = SpanKind.SERVER;
      const span = tracer.startSpan(`${req.method} ${route}`, { kind, attributes }, above);
      takeTraceId(null);
      return { span, route, context: trace.setSpan(ROOT_CONTEXT, span) };
    },
    /** @template T @param {Traced} traced @param {() => T} work @returns {T} */
    run: (traced, work) => current.run(traced, work),
    /** @param {Traced} traced @param {number} status of the reply @param {boolean} complete */
    end({ span }, status, complete) {
      span.setAttribute('http.response.status_code', status);
      if (status >= 500 || !complete) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    /** For the query that is being sent: PostgreSQL shows it in pg_stat_activity and in its log. */
    comment() {
      const traced = current.getStore();
      return traced ? sqlComment(traced.span.spanContext(), traced.route) : '';
    },
    close: async () => void (await within(provider.shutdown(), CLOSE_MS).catch(() => {})),
  };
}

/**
 * Spans of what a traced request waited for. They are made when the wait is over, backwards in time.
 * @param {import('../events').Events} events
 * @param {import('@opentelemetry/api').Tracer} tracer
 * @param {AsyncLocalStorage<Traced>} current
 */
function recordWaits(events, tracer, current) {
  /** @param {string} name @param {number} ms @param {import('@opentelemetry/api').Attributes} attributes */
  const record = (name, ms, attributes) => {
    const traced = current.getStore();
    if (!traced) return;
    const endTime = Date.now();
    const options = { kind: SpanKind.CLIENT, startTime: endTime - ms, attributes };
    tracer.startSpan(name, options, traced.context).end(endTime);
  };
  events.on(EVENTS.queried, (name, lane, ms, ahead) =>
    record(`postgres ${name}`, ms, {
      ...{ 'db.system.name': 'postgresql', 'db.query.summary': name },
      ...{ 'catalog.lane': lane, 'catalog.queries_ahead': ahead },
    }),
  );
  events.on(EVENTS.redisAnswered, (command, ms) =>
    record(`redis ${command}`, ms, { 'db.system.name': 'redis', 'db.operation.name': command }),
  );
  events.on(EVENTS.collapsed, () => current.getStore()?.span.addEvent('joined a running fill'));
}

exports.createTracing = createTracing;
