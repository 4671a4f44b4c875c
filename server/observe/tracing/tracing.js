'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { randomBytes } = require('node:crypto');

const { SpanKind } = require('@opentelemetry/api');

const { givenRequestId } = require('../../http/replies/request-id');
const { loggedUrl } = require('./logged-url');
const { createSampler } = require('./sampler');
const { startSpanThread } = require('./span-thread');
const { parentOf, sqlComment, traceIdOf, traceparentOf } = require('./trace-context');

/** @typedef {import('./span-thread').SpanRecord} SpanRecord */

/**
 * A request that is being traced: its span, still open.
 * @typedef {Omit<SpanRecord, 'endMs'> & { route: string, events: { name: string, atMs: number }[] }} Traced
 */

const newSpanId = () => randomBytes(8).toString('hex');
const epochMs = () => performance.timeOrigin + performance.now();

/**
 * Traces over OTLP: one span for a sampled request, one for each answer of Redis and PostgreSQL that it waited for. Nothing is
 * patched and no context manager is installed: a request that is not sampled costs one random number. Spans are made
 * from the events that the parts emit.
 * @param {object} parts
 * @param {import('../../config/config').Config} parts.config
 * @param {import('../../core/events').Events} parts.events
 * @param {string} parts.version of the service
 * @param {(url: string) => string} parts.routeOf
 */
function createTracing({ config, events, version, routeOf }) {
  /** @type {AsyncLocalStorage<Traced>} of the fill that a traced request began */
  const current = new AsyncLocalStorage();
  /** @type {Traced | null} whose handler runs in this turn */
  let handled = null;
  const sampled = createSampler({
    ratio: config.TRACE_RATIO,
    maxPerSecond: config.TRACE_MAX_PER_SECOND,
  });
  const { send, close } = startSpanThread({ url: config.OTLP_TRACES_URL, version }, (...result) =>
    events.emit('spansExported', ...result),
  );
  recordWaits(events, send, current);
  events.on('collapsed', () => handled?.events.push({ name: 'joined a running fill', atMs: epochMs() }));

  return {
    /** @param {import('node:http').IncomingMessage} req @returns {Traced | null} null: not sampled */
    begin(req) {
      const parent = parentOf(traceparentOf(req.rawHeaders));
      if (!sampled(Boolean(parent?.traceFlags))) return null;
      const url = loggedUrl(req.url ?? '');
      const route = routeOf(url);
      const [path, query] = url.split(/\?(.*)/s, 2);
      const requestId = givenRequestId(req);
      return {
        traceId: parent?.traceId ?? traceIdOf(requestId) ?? randomBytes(16).toString('hex'),
        spanId: newSpanId(),
        ...(parent && { parentSpanId: parent.spanId, remote: true }),
        name: `${req.method} ${route}`,
        kind: SpanKind.SERVER,
        route,
        startMs: epochMs(),
        attributes: {
          'http.request.method': req.method ?? '',
          'http.route': route,
          'url.path': path,
          ...(query && { 'url.query': query }),
          'catalog.request_id': requestId ?? '',
        },
        events: [],
      };
    },
    /** @param {Traced} traced @param {() => void} handle answers it, or begins to */
    handle(traced, handle) {
      handled = traced;
      try {
        handle();
      } finally {
        handled = null;
      }
    },
    /** Only a traced request that waits is followed; one that L1 answers is not. @template T @param {() => T} fill */
    follow: (fill) => (handled ? current.run(handled, fill) : fill()),
    /** @param {Traced} traced @param {number} status of the reply @param {boolean} complete */
    end(traced, status, complete) {
      const attributes = { ...traced.attributes, 'http.response.status_code': status };
      send({ ...traced, attributes, endMs: epochMs(), failed: status >= 500 || !complete });
    },
    /** For the query that is being sent: PostgreSQL shows it in pg_stat_activity and in its log. */
    comment() {
      const traced = current.getStore();
      return traced ? sqlComment(traced, traced.route) : '';
    },
    close,
  };
}

/**
 * Spans of what a traced request waited for. They are made when the wait is over, backwards in time.
 * @param {import('../../core/events').Events} events
 * @param {(span: SpanRecord) => void} send
 * @param {AsyncLocalStorage<Traced>} current
 */
function recordWaits(events, send, current) {
  /** @param {Traced} traced @param {string} name @param {number} ms @param {import('@opentelemetry/api').Attributes} attributes */
  const record = ({ traceId, spanId }, name, ms, attributes) => {
    const endMs = epochMs();
    const ids = { traceId, spanId: newSpanId(), parentSpanId: spanId };
    send({ ...ids, name, kind: SpanKind.CLIENT, startMs: endMs - ms, endMs, attributes });
  };
  // Runs for each query of the worker, so nothing is made for those that are not traced.
  events.on('queried', (name, lane, ms, ahead, server) => {
    const traced = current.getStore();
    if (!traced) return;
    record(traced, `postgres ${name}`, ms, {
      'db.system.name': 'postgresql',
      'db.query.summary': name,
      'server.address': server,
      'catalog.lane': lane,
      'catalog.queries_ahead': ahead,
    });
  });
  events.on('redisAnswered', (command, ms) => {
    const traced = current.getStore();
    if (traced) record(traced, `redis ${command}`, ms, { 'db.system.name': 'redis', 'db.operation.name': command });
  });
}

exports.createTracing = createTracing;
