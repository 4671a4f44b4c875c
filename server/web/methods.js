'use strict';

const { PROBLEMS, Problem } = require('../errors');

const ALLOWED = 'GET, HEAD, OPTIONS';
const PREFLIGHT_SECONDS = '86400';

/** @type {import('express').RequestHandler} */
function methodNotAllowed(req) {
  throw new Problem(PROBLEMS.methodNotAllowed, `${req.method} is not possible here.`, {
    headers: { Allow: ALLOWED },
  });
}

/** @type {import('express').RequestHandler} */
function unknownPath(req) {
  throw new Problem(
    PROBLEMS.unknownPath,
    `There is nothing at ${req.path}. The paths are at /docs.`,
  );
}

/**
 * Answers OPTIONS: the CORS preflight of a browser and a plain question alike.
 * @param {string[]} everywhere headers that all replies carry
 * @returns {import('express').RequestHandler}
 */
function createPreflight(everywhere) {
  const headers = [
    ...['Allow', ALLOWED],
    ...['Access-Control-Allow-Methods', ALLOWED],
    ...['Access-Control-Allow-Headers', 'If-None-Match, X-Request-Id'],
    ...['Access-Control-Max-Age', PREFLIGHT_SECONDS],
    ...everywhere,
  ];
  return (_req, res) => {
    res.writeHead(204, headers);
    res.end();
  };
}

exports.methodNotAllowed = methodNotAllowed;
exports.unknownPath = unknownPath;
exports.createPreflight = createPreflight;
