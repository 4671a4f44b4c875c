'use strict';

const { FAILED, PROBLEMS, Problem, RETRY } = require('../../core/errors');
const { JSON_POLICY } = require('../../core/policy');
const { requestId } = require('./request-id');

const CONTENT_TYPE = 'application/problem+json';

/**
 * Answers with a problem, whatever the error is.
 * @typedef {(error: unknown, req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse, next?: unknown) => void} Refuse
 */

/**
 * The body of RFC 9457. `instance` names the occurrence by its request id, the same that is logged.
 * @param {Problem} problem
 * @param {string} id
 */
function problemBody({ kind, message, headers, members }, id) {
  const { slug, title, status } = kind;
  const type = `urn:catalog:problem:${slug}`;
  const detail = headers['Retry-After'] ? `${message} ${RETRY}` : message;
  return JSON.stringify({ type, title, status, detail, instance: `urn:request:${id}`, ...members });
}

/**
 * A problem as it is sent.
 * @param {Problem} problem
 * @param {string} id of the request
 * @param {string[]} commonHeaders headers that all replies carry
 * @returns {{ headers: string[], body: string }} headers as a list of names and values
 */
function problemReply(problem, id, commonHeaders) {
  const body = problemBody(problem, id);
  const length = String(Buffer.byteLength(body));
  return {
    headers: [
      'Content-Type',
      CONTENT_TYPE,
      'Content-Length',
      length,
      'Content-Security-Policy',
      JSON_POLICY,
      'Cache-Control',
      'no-store',
      'X-Request-Id',
      id,
      ...commonHeaders,
      ...Object.entries(problem.headers).flat(),
    ],
    body,
  };
}

/**
 * Turns any error into one that may be shown.
 * @param {any} error a Problem, a 400 of Express for a path that does not decode, or an unexpected error
 * @returns {Problem}
 */
function toProblem(error) {
  if (error instanceof Problem) return error;
  if (error?.status === 400)
    return new Problem(
      PROBLEMS.malformedRequest,
      'The path has an invalid percent-encoding. Write the character % as %25.',
    );
  return new Problem(PROBLEMS.internal, FAILED, { cause: error });
}

/**
 * The last handler of the application: every error ends here.
 * @param {object} parts
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../../core/events').Events} parts.events
 * @returns {Refuse}
 */
function createProblemHandler({ commonHeaders, state, events }) {
  // Express knows a handler of errors by its four parameters.
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    const id = requestId(req);
    if (problem.kind === PROBLEMS.internal) events.emit('handlerFailed', error, id, req.url?.split('?', 1)[0]);
    if (problem.status === 503) events.emit('shed', problem.kind.slug, problem);
    events.emit('replied', 'problem', problem.status, 0);
    if (res.writableEnded) return; // it was refused before, and that answer is on its way
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { headers, body } = problemReply(problem, id, commonHeaders);
    if (state.draining && !problem.headers.Connection) headers.push('Connection', 'close');
    res.writeHead(problem.status, headers);
    res.end(body);
  };
}

exports.createProblemHandler = createProblemHandler;
exports.problemBody = problemBody;
exports.problemReply = problemReply;
exports.toProblem = toProblem;
