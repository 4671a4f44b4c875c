'use strict';

const { TraceFlags } = require('@opentelemetry/api');

const NAME = 'traceparent';
/** W3C Trace Context, §3.2: version 00; of a later version the same four fields are read. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const ZEROS = /^0+$/;
const TRACE_ID = /^[0-9a-f]{32}$/;

/**
 * Reads the raw list: this runs for each request, and reading `req.headers` before Express made a hot reply cost 2 % more.
 * @param {string[]} rawHeaders names and values in turn
 * @returns {string | null} null when there is none, or more than one (§3.2: to be ignored)
 */
function traceparentOf(rawHeaders) {
  let value = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (value !== null) return null;
    value = rawHeaders[index + 1];
  }
  return value;
}

/**
 * @param {string | null} header traceparent
 * @returns {import('@opentelemetry/api').SpanContext | null} null when there is none, or one that must be ignored
 */
function parentOf(header) {
  if (header === null) return null;
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? [];
  if (!traceId || ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/**
 * The id that nginx makes for a request is 16 random bytes in hexadecimal: a trace id as it is. A trace
 * that begins here takes it, so that the X-Request-Id of a reply finds its trace.
 * @param {string | undefined} requestId
 * @returns {string | null}
 */
const traceIdOf = (requestId) => (requestId && TRACE_ID.test(requestId) && !ZEROS.test(requestId) ? requestId : null);

/**
 * https://google.github.io/sqlcommenter/spec/: keys in order, values URL-encoded in single quotes.
 * @param {{ traceId: string, spanId: string }} span of a sampled request
 * @param {string} route
 */
const sqlComment = ({ traceId, spanId }, route) =>
  `/*route='${encodeURIComponent(route)}',traceparent='00-${traceId}-${spanId}-01'*/`;

exports.traceparentOf = traceparentOf;
exports.parentOf = parentOf;
exports.traceIdOf = traceIdOf;
exports.sqlComment = sqlComment;
