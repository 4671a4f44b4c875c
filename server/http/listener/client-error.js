'use strict';

const { randomUUID } = require('node:crypto');

const { PROBLEMS, Problem, REQUEST_LATE } = require('../../core/errors');
const { isReadingBody, replyOn } = require('../../internals/node/connections');
const { problemReply } = require('../replies/problem');
const { headText } = require('../replies/headers');

/** A refused client's connection stays open this long. Closed at once, what the client still sends would reset it before it reads the reply. */
const LINGER_MS = 1000;

/**
 * Answers bytes that never became a request. Express does not see them, so the problem is written here.
 * @param {string[]} commonHeaders headers that all replies carry
 * @param {import('../../core/events').Events} events
 */
function createClientErrorHandler(commonHeaders, events) {
  /** @type {WeakSet<object>} refused connections: Node also reports what still arrives on them */
  const ending = new WeakSet();
  /** @param {Error & { code?: string, reason?: string }} error @param {import('node:stream').Duplex} socket */
  return (error, socket) => {
    if (ending.has(socket)) return;
    // A request with a timeout of its own may take longer, and Node does not report it again.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && /** @type {import('node:net').Socket} */ (socket).timeout) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Bytes behind a last request are ignored (RFC 9112, 9.6); the reply to that request ends the connection.
    const reply = replyOn(socket);
    if (error.code === 'HPE_CLOSED_CONNECTION' && reply) return;
    ending.add(socket);
    // Node stops tracking the socket here: it would stay open until the client closes it.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    // The reply may have been sent before the end of an unread body: a second one would answer the client's next request. Node's
    // codes do not separate such a body, or its trailers, from the head of the next request; its parser knows.
    const waits = reply && !reply.headersSent;
    if (!waits && isReadingBody(socket)) {
      socket.end();
      return;
    }
    const problem = clientProblem(error.code);
    const { status, title } = problem.kind;
    const { headers, body } = problemReply(problem, randomUUID(), commonHeaders);
    const head = headText([...headers, 'Connection', 'close']);
    socket.end(`HTTP/1.1 ${status} ${title}\r\n${head}\r\n${body}`);
    events.emit('replied', 'problem', status, 0);
  };
}

/** @param {string | undefined} code */
function clientProblem(code) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      PROBLEMS.headersTooLarge,
      'The headers are too long. Send fewer or shorter ones, such as cookies.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(PROBLEMS.requestTimeout, REQUEST_LATE);
  return new Problem(
    PROBLEMS.malformedRequest,
    'The request is not valid HTTP/1.1. Fix the client or proxy that wrote it.',
  );
}

exports.LINGER_MS = LINGER_MS;
exports.createClientErrorHandler = createClientErrorHandler;
