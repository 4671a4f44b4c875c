'use strict';

const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { defaultResource, resourceFromAttributes } = require('@opentelemetry/resources');
const {
  BatchSpanProcessor,
  RandomIdGenerator,
  TracerProvider,
} = require('@opentelemetry/sdk-trace');

const { EVENTS } = require('../events');

/**
 * 1024 spans are about 1 MB: what a dead collector can cost. A send gives up before the processor does, or
 * sends would pile up beside each other.
 */
const QUEUE = { maxQueueSize: 1024, maxExportBatchSize: 256, scheduledDelayMillis: 1000 };
const SEND_TIMEOUT_MS = 1000;
const EXPORT_TIMEOUT_MS = 2000;
/**
 * @param {object} parts
 * @param {import('../config').Config} parts.config
 * @param {import('../events').Events} parts.events
 * @param {string} parts.version
 */
function createProvider({ config, events, version }) {
  const ids = new RandomIdGenerator();
  /** @type {string | null} */
  let wantedTraceId = null;
  const exporter = new OTLPTraceExporter({
    url: config.OTLP_TRACES_URL,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'product-catalog', 'service.version': version }),
    ),
    idGenerator: {
      generateTraceId: () => wantedTraceId ?? ids.generateTraceId(),
      generateSpanId: () => ids.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        ...{ exporter: reportExports(exporter, events), ...QUEUE },
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  return {
    provider,
    /** The id of the next trace that begins here, when its request brought one. @param {string | null} id */
    takeTraceId: (id) => void (wantedTraceId = id),
  };
}

/**
 * Tells of each batch whether the collector took it: OpenTelemetry itself drops in silence.
 * @param {import('@opentelemetry/sdk-trace').SpanExporter} exporter
 * @param {import('../events').Events} events
 * @returns {import('@opentelemetry/sdk-trace').SpanExporter}
 */
const reportExports = (exporter, events) => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      const outcome = result.code === 0 ? 'sent' : 'lost';
      events.emit(EVENTS.spansExported, outcome, spans.length, result.error);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

exports.createProvider = createProvider;
