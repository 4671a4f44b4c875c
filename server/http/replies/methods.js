'use strict';

const { PROBLEMS, Problem } = require('../../core/errors');
const { isPostRoute } = require('../../core/policy');
const { createWriteHead } = require('./headers');

const ALLOWED = 'GET, HEAD, OPTIONS';
const ALLOWED_POST = 'POST, OPTIONS';
const PREFLIGHT_SECONDS = '86400';
/** For a preflight without a valid list of headers. `*` does not cover Authorization. */
const ANY_HEADER = 'Authorization, *';
/** Names of headers (RFC 9110, 5.6.2), with commas between them. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_ASKED_LENGTH = 4096;

/**
 * Every header is allowed: front ends of the predecessor send Authorization, tracing and proxies add their own, and no reply
 * depends on them.
 * @param {import('express').Request} req
 */
function allowedHeaders(req) {
  const asked = req.headers['access-control-request-headers'] ?? '';
  return asked.length <= MAX_ASKED_LENGTH && HEADER_NAMES.test(asked) ? asked : ANY_HEADER;
}

/** @param {string} allowed methods, by comma @returns {import('express').RequestHandler} of all others */
const onlyMethods = (allowed) => (req) => {
  throw new Problem(PROBLEMS.methodNotAllowed, `${req.method} is not allowed. Use ${allowed}.`, {
    headers: { Allow: allowed },
  });
};

const methodNotAllowed = onlyMethods(ALLOWED);
const onlyPost = onlyMethods(ALLOWED_POST);

/** @type {import('express').RequestHandler} */
function unknownPath(req) {
  throw new Problem(PROBLEMS.unknownPath, `No route has the path ${req.path}. /docs lists the routes.`);
}

/**
 * Answers OPTIONS: the CORS preflight of a browser for any path, and a plain OPTIONS request for a route.
 * @param {object} parts
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 * @returns {import('express').RequestHandler}
 */
function createPreflight({ commonHeaders, state, events }) {
  const writeHead = createWriteHead(state);
  const headersOf = (/** @type {string} */ allowed) => [
    'Allow',
    allowed,
    'Access-Control-Allow-Methods',
    allowed,
    'Access-Control-Max-Age',
    PREFLIGHT_SECONDS,
    'Vary',
    'Access-Control-Request-Headers',
    ...commonHeaders,
  ];
  const [headers, headersOfPost] = [ALLOWED, ALLOWED_POST].map(headersOf);
  return (req, res) => {
    const own = isPostRoute(req.url) ? headersOfPost : headers;
    writeHead(req, res, 204, ['Access-Control-Allow-Headers', allowedHeaders(req), ...own]);
    res.end();
    events.emit('replied', 'preflight', 204, 0);
  };
}

exports.onlyMethods = onlyMethods;
exports.methodNotAllowed = methodNotAllowed;
exports.onlyPost = onlyPost;
exports.unknownPath = unknownPath;
exports.createPreflight = createPreflight;
