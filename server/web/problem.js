'use strict';

const { EVENTS } = require('../events');
const { PROBLEMS, Problem } = require('../errors');
const { requestId } = require('./request-id');

const CONTENT_TYPE = 'application/problem+json';

/**
 * The body of RFC 9457. `instance` names the occurrence by its request id, the same that is logged.
 * @param {Problem} problem
 * @param {string} id
 */
function problemBody({ kind, message }, id) {
  const { slug, title, status } = kind;
  const type = `urn:catalog:problem:${slug}`;
  return JSON.stringify({ type, title, status, detail: message, instance: `urn:request:${id}` });
}

/**
 * Whatever was thrown, as something that may be shown.
 * @param {any} error a Problem, a 400 of Express for a path that does not decode, or a surprise
 * @returns {Problem}
 */
function toProblem(error) {
  if (error instanceof Problem) return error;
  if (error?.status === 400)
    return new Problem(PROBLEMS.malformedRequest, 'The path is not valid percent-encoding.');
  return new Problem(PROBLEMS.internal, 'The service failed. The log has the reason.', {
    cause: error,
  });
}

/**
 * The last handler of the app: every error ends here, and none leaves the process.
 * @param {object} parts
 * @param {string[]} parts.everywhere headers that all replies carry
 * @param {{ draining: boolean }} parts.state
 * @param {import('../events').Events} parts.events
 * @returns {import('express').ErrorRequestHandler}
 */
function createProblemHandler({ everywhere, state, events }) {
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    const id = requestId(req);
    if (problem.kind === PROBLEMS.internal)
      events.emit(EVENTS.handlerFailed, error, id, req.originalUrl);
    if (problem.status === 503) events.emit(EVENTS.shed, problem.kind.slug, problem);
    events.emit(EVENTS.replied, 'problem', problem.status, 0);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const body = problemBody(problem, id);
    const headers = [
      'Content-Type',
      CONTENT_TYPE,
      'Content-Length',
      String(Buffer.byteLength(body)),
    ];
    headers.push('Cache-Control', 'no-store', 'X-Request-Id', id, ...everywhere);
    headers.push(...Object.entries(problem.headers).flat());
    if (state.draining) headers.push('Connection', 'close');
    res.writeHead(problem.status, headers);
    res.end(body);
  };
}

exports.createProblemHandler = createProblemHandler;
exports.problemBody = problemBody;
exports.toProblem = toProblem;
exports.CONTENT_TYPE = CONTENT_TYPE;
