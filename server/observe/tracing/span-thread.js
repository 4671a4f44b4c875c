'use strict';

const { once } = require('node:events');
const { join } = require('node:path');
const { Worker } = require('node:worker_threads');

const { within } = require('../../core/lifecycle');

/** Spans are handed over together: one by one, each would wake the thread. */
const HAND_OVER_MS = 5000;
const HAND_OVER_SPANS = 256;
/** The last spans of a worker are not worth a slow stop. */
const CLOSE_MS = 1000;
/** Spans in the thread, the ones being sent included: about 1 MB, the most that an unresponsive collector can cost. */
const MAX_SPANS = 1024;
/** Far above the queue of spans; without it the thread could take as much as the service. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/**
 * A finished span, as plain data.
 * @typedef {object} SpanRecord
 * @property {string} traceId
 * @property {string} spanId
 * @property {string} [parentSpanId]
 * @property {boolean} [remote] the parent is the caller's
 * @property {string} name
 * @property {import('@opentelemetry/api').SpanKind} kind
 * @property {number} startMs since the epoch, as all times here
 * @property {number} endMs
 * @property {import('@opentelemetry/api').Attributes} attributes
 * @property {{ name: string, atMs: number }[]} [events]
 * @property {boolean} [failed]
 */

/**
 * Runs OpenTelemetry in its own thread. It sends by node:http's client, which shares code with the server: one send a second in
 * the worker made every hot request cost 6 % more, since V8 then compiles that code for two kinds of messages.
 * @param {{ url: string, version: string }} settings
 * @param {import('./provider').OnExport} onExport
 */
function startSpanThread(settings, onExport) {
  const thread = new Worker(join(__dirname, 'send-spans.js'), {
    workerData: { ...settings, maxSpans: MAX_SPANS },
    resourceLimits: LIMITS,
  });
  /** @type {SpanRecord[]} */
  let gathered = [];
  let running = true;
  let pending = 0;
  /** @type {import('./provider').OnExport} */
  const settle = (outcome, count, error) => {
    pending -= count;
    onExport(outcome, count, error);
  };
  thread.on('message', ({ outcome, count, error }) => settle(outcome, count, error));
  thread.on('error', (error) => onExport('lost', 0, error)); // requests are not affected
  thread.on('exit', () => {
    running = false;
    if (pending > 0) settle('lost', pending);
  });
  thread.unref();
  const handOver = () => {
    if (gathered.length > 0) thread.postMessage(gathered);
    gathered = [];
  };
  const timer = setInterval(handOver, HAND_OVER_MS).unref();
  return {
    /** @param {SpanRecord} span */
    send(span) {
      if (!running || pending >= MAX_SPANS) return onExport('lost', 1);
      pending += 1;
      if (gathered.push(span) >= HAND_OVER_SPANS) handOver();
    },
    async close() {
      clearInterval(timer);
      if (!running) return;
      handOver();
      thread.postMessage(null);
      if (!(await within(once(thread, 'exit'), CLOSE_MS))) await thread.terminate();
    },
  };
}

exports.startSpanThread = startSpanThread;
