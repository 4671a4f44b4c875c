'use strict';

const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { defaultResource, resourceFromAttributes } = require('@opentelemetry/resources');
const { BatchSpanProcessor, TracerProvider } = require('@opentelemetry/sdk-trace');

/** A send times out before the processor does, or sends would run in parallel. */
const BATCHES = { maxExportBatchSize: 256, scheduledDelayMillis: 1000 };
const SEND_TIMEOUT_MS = 1000;
const EXPORT_TIMEOUT_MS = 2000;

/** @typedef {(outcome: 'sent' | 'lost', count: number, error?: Error) => void} OnExport */
/** @typedef {{ traceId: string, spanId: string }} Ids */

/**
 * @param {object} parts
 * @param {string} parts.url of the collector
 * @param {string} parts.version
 * @param {number} parts.maxSpans that may wait; OpenTelemetry drops further ones silently
 * @param {OnExport} parts.onExport
 */
function createProvider({ url, version, maxSpans, onExport }) {
  /** @type {Ids} */
  let next = { traceId: '', spanId: '' };
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'product-catalog', 'service.version': version }),
    ),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportExports(exporter, onExport),
        ...BATCHES,
        maxQueueSize: maxSpans,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  return {
    provider,
    /** Ids of the next span: they were in a SQL comment before it was made. @param {Ids} ids */
    takeIds: (ids) => void (next = ids),
  };
}

/**
 * Reports for each batch whether the collector took it: OpenTelemetry itself drops silently.
 * @param {import('@opentelemetry/sdk-trace').SpanExporter} exporter
 * @param {OnExport} onExport
 * @returns {import('@opentelemetry/sdk-trace').SpanExporter}
 */
const reportExports = (exporter, onExport) => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      onExport(result.code === 0 ? 'sent' : 'lost', spans.length, result.error);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

exports.createProvider = createProvider;
