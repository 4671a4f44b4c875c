'use strict';
const { BODY_TOO_LARGE, FAILED, PROBLEMS, REQUEST_LATE, RETRY, RETRY_AFTER_SECONDS } = require('../server/core/errors');

const retryAfter = { 'Retry-After': String(RETRY_AFTER_SECONDS) };

/**
 * The errors that nginx answers itself, in the same form as a worker's. 494 and 497 are nginx's own codes. To a client, 502 and 504 mean
 * what a worker's 503 means.
 * @type {{ on: number[], status: number, slug: string, title: string, detail: string, headers?: Record<string, string> }[]}
 */
const problems = [
  {
    on: [400, 421, 497, 505],
    ...PROBLEMS.malformedRequest,
    detail: 'The request is not valid HTTP for this port. Fix the client; use https:// for the port of HTTPS.',
  },
  {
    on: [404],
    ...PROBLEMS.unknownPath,
    detail: 'No route has this path. /docs lists the routes.',
  },
  {
    on: [405],
    ...PROBLEMS.methodNotAllowed,
    detail: 'The method is not allowed. Use GET, HEAD or OPTIONS.',
    headers: { Allow: 'GET, HEAD, OPTIONS' },
  },
  {
    on: [408],
    ...PROBLEMS.requestTimeout,
    detail: REQUEST_LATE,
  },
  {
    on: [411, 413],
    ...PROBLEMS.contentTooLarge,
    detail: BODY_TOO_LARGE,
  },
  {
    on: [412], // an empty If-Match or If-Unmodified-Since: the map of requests that bypass the cache ignores it, nginx does not
    ...PROBLEMS.preconditionFailed,
    detail: 'A precondition in the headers does not hold. Read the ETag again by a GET without it.',
  },
  {
    on: [414],
    status: 414,
    slug: 'uri-too-long',
    title: 'URI too long',
    detail: 'The path and query are longer than 9 KB. Shorten them.',
  },
  {
    on: [429],
    status: 429,
    slug: 'too-many-requests',
    title: 'Too many requests',
    detail: `This client address exceeds its limit of requests a second. Retry after ${RETRY_AFTER_SECONDS} s, and less often.`,
    headers: retryAfter,
  },
  {
    on: [431, 494],
    ...PROBLEMS.headersTooLarge,
    detail:
      'The headers are longer than 18 KB, or one is longer than 9 KB. Send fewer or shorter ones, such as cookies.',
  },
  {
    on: [501],
    status: 501,
    slug: 'not-implemented',
    title: 'Not implemented',
    detail: 'The Transfer-Encoding is not supported. Use chunked, or send Content-Length.',
  },
  {
    on: [500],
    ...PROBLEMS.internal,
    detail: FAILED,
  },
  {
    on: [529], // limit_conn
    ...PROBLEMS.overloaded,
    detail: `Too many requests are in progress. ${RETRY}`,
    headers: retryAfter,
  },
  {
    on: [502, 503, 504],
    ...PROBLEMS.unavailable,
    detail: `No worker answered. ${RETRY}`,
    headers: retryAfter,
  },
];

module.exports = { problems };
