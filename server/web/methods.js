'use strict';

const { EVENTS } = require('../events');
const { PROBLEMS, Problem } = require('../errors');
const { createWriteHead } = require('./head');

const ALLOWED = 'GET, HEAD, OPTIONS';
const PREFLIGHT_SECONDS = '86400';
/**
 * What a page of another origin may send. The API that this one replaces wants a token, so its front ends send Authorization
 * (and many a Content-Type); we need neither, but a browser would ask for nothing at all. `*` would not cover Authorization.
 */
const SENDABLE = 'Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate';

/** @type {import('express').RequestHandler} */
function methodNotAllowed(req) {
  throw new Problem(PROBLEMS.methodNotAllowed, `${req.method} is not possible here.`, {
    headers: { Allow: ALLOWED },
  });
}

/** @type {import('express').RequestHandler} */
function unknownPath(req) {
  throw new Problem(PROBLEMS.unknownPath, `There is nothing at ${req.path}. The paths are at /docs.`);
}

/**
 * Answers OPTIONS: the CORS preflight of a browser and a plain question alike.
 * @param {object} parts
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../events').Events} parts.events
 * @returns {import('express').RequestHandler}
 */
function createPreflight({ commonHeaders, state, events }) {
  const writeHead = createWriteHead(state);
  const headers = [
    ...['Allow', ALLOWED],
    ...['Access-Control-Allow-Methods', ALLOWED],
    ...['Access-Control-Allow-Headers', SENDABLE],
    ...['Access-Control-Max-Age', PREFLIGHT_SECONDS],
    ...commonHeaders,
  ];
  return (req, res) => {
    writeHead(req, res, 204, headers);
    res.end();
    events.emit(EVENTS.replied, 'preflight', 204, 0);
  };
}

exports.methodNotAllowed = methodNotAllowed;
exports.unknownPath = unknownPath;
exports.createPreflight = createPreflight;
