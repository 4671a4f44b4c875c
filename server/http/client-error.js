'use strict';

const { randomUUID } = require('node:crypto');

const { PROBLEMS, Problem } = require('../errors');
const { isReadingBody, replyOn } = require('../internals/node/connections');
const { problemReply } = require('./problem');
const { headText } = require('./headers');

/** A refused client's connection stays this long: closed at once, what it still sends would reset it before it has read why. */
const LINGER_MS = 1000;

/**
 * Bytes that never became a request: Express does not see them, so the problem is written by hand.
 * @param {string[]} commonHeaders headers that all replies carry
 * @param {import('../events').Events} events
 */
function createClientErrorHandler(commonHeaders, events) {
  /** @type {WeakSet<object>} Node tells of what still comes on them as well */
  const ending = new WeakSet();
  /** @param {Error & { code?: string, reason?: string }} error @param {import('node:stream').Duplex} socket */
  return (error, socket) => {
    if (ending.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // What comes behind a last request is nobody's (RFC 9112, 9.6); the reply to that one ends the connection.
    const reply = replyOn(socket);
    if (error.code === 'HPE_CLOSED_CONNECTION' && reply) return;
    ending.add(socket);
    // Node forgets the socket here: one whose client never closes would stay for ever.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    // Of a body that nobody reads the reply may have been sent: a second one would answer the client's next request. Node's
    // codes do not tell such a body, or its trailers, from the head of the next request; its parser knows what is not complete.
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
    return new Problem(PROBLEMS.headersTooLarge, 'The headers of the request are too long.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(PROBLEMS.requestTimeout, 'The request did not arrive in time.');
  return new Problem(PROBLEMS.malformedRequest, 'This is not an HTTP/1.1 request.');
}

exports.LINGER_MS = LINGER_MS;
exports.createClientErrorHandler = createClientErrorHandler;
