'use strict';

const { parentPort, workerData } = require('node:worker_threads');

const { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } = require('@opentelemetry/api');

const { createProvider } = require('./provider');

/** @typedef {import('./span-thread').SpanRecord} SpanRecord */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { provider, takeIds } = createProvider({
  ...workerData,
  onExport: (outcome, count, error) => port.postMessage({ outcome, count, error }),
});
const tracer = provider.getTracer('catalog');

/** @param {SpanRecord} span */
function parentContext({ traceId, parentSpanId, remote }) {
  if (!parentSpanId) return ROOT_CONTEXT;
  const ids = { traceId, spanId: parentSpanId };
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...ids,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: Boolean(remote),
  });
}

/** @param {SpanRecord} record */
function write(record) {
  const { name, kind, startMs, endMs, attributes, events = [], failed = false } = record;
  takeIds(record);
  const span = tracer.startSpan(name, { kind, startTime: startMs, attributes }, parentContext(record));
  for (const event of events) span.addEvent(event.name, event.atMs);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endMs);
}

port.on('message', (/** @type {SpanRecord[] | null} null: the worker stops */ records) => {
  if (records) return records.forEach(write);
  const end = () => process.exit(); // of this thread; sockets to the collector would keep it
  provider.shutdown().then(end, end);
});
