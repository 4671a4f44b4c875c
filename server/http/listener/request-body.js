'use strict';

const { BODY_TOO_LARGE, MAX_BODY_BYTES, PROBLEMS, Problem } = require('../../core/errors');
const { isPostRoute } = require('../../core/policy');
const { lingerAfterReply } = require('../../internals/node/connections');
const { LINGER_MS } = require('./client-error');

/** @typedef {import('node:http').IncomingMessage} Request @typedef {import('node:http').ServerResponse} Response */

/** @param {Request} req */
const hasBody = ({ headers }) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Answers requests once their bodies are read, and dropped unless a route uses them: some proxies send `{}` with each GET.
 * The reply waits for the end of the body: the next byte on the connection then belongs to the next request.
 * @param {import('node:http').RequestListener} answer
 * @param {import('../replies/problem').Refuse} refuse
 * @returns {import('node:http').RequestListener}
 */
const withoutBody = (answer, refuse) => (req, res) => {
  if (hasBody(req)) readBody(req, res, () => answer(req, res), refuse);
  else answer(req, res);
};

/** @param {Request} req @param {Response} res @param {() => void} answer @param {import('../replies/problem').Refuse} refuse */
function readBody(req, res, answer, refuse) {
  const tooLarge = () => refuse(unread(req, PROBLEMS.contentTooLarge, BODY_TOO_LARGE), req, res);
  let left = MAX_BODY_BYTES;
  /** @type {Buffer[] | null} */
  const kept = req.method === 'POST' && isPostRoute(req.url) ? [] : null;
  if (Number(req.headers['content-length'] ?? 0) > left) return tooLarge();
  if (req.headers.expect) res.writeContinue();
  req.on('data', (chunk) => {
    left -= chunk.length;
    if (left >= 0) kept?.push(chunk);
    else if (!res.headersSent) tooLarge();
  });
  req.on('end', () => {
    if (kept) /** @type {Request & { body?: Buffer }} */ (req).body = Buffer.concat(kept);
    if (!res.headersSent) answer(); // not after a 413, nor after the 500 of a worker that stops
  });
}

/**
 * The problem of a request whose body was not read.
 * @param {Request} req @param {Problem['kind']} kind @param {string} detail
 */
const unread = (req, kind, detail) => asLast(req, new Problem(kind, detail));

/**
 * A problem as it answers a request whose body may not have been read. The next bytes on the connection may be that body, so the reply
 * is its last.
 * @param {Request} req @param {Problem} problem
 */
function asLast(req, problem) {
  if (!hasBody(req) || req.complete) return problem;
  lingerAfterReply(req.socket, LINGER_MS);
  problem.headers.Connection = 'close';
  return problem;
}

exports.withoutBody = withoutBody;
exports.asLast = asLast;
exports.unread = unread;
