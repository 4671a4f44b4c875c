'use strict';

/*
 * `_httpMessage`: the reply under way on a connection; Node's documentation of clientError names it.
 * `parser.incoming`: the request that is being read.
 * Node calls a server's closeIdleConnections() from close(), and a socket's destroySoon() after the last reply of a connection.
 * Checked on Node 24.19.0 and 26.10.0. Byte tests: tests/server/http/client-error.test.js, tests/server/http/draining.test.js,
 * tests/server/http/request-bodies.test.js.
 */

/** @typedef {import('node:http').IncomingMessage} Request @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('node:stream').Duplex & { _httpMessage?: Response, parser?: { incoming?: Request } }} Connection */

/** @param {import('node:stream').Duplex} socket @returns {Response | undefined} the reply under way */
const replyOn = (socket) => /** @type {Connection} */ (socket)._httpMessage;

/** @param {import('node:stream').Duplex} socket @returns {boolean} whether the body of a request is still arriving */
function isReadingBody(socket) {
  const { incoming } = /** @type {Connection} */ (socket).parser ?? {};
  return incoming !== undefined && incoming !== null && !incoming.complete;
}

/**
 * Leaves the idle connections of a server open when it is closed. Node counts a connection as idle once end() was called, so a
 * reply to a slow reader would be cut.
 * @param {import('node:http').Server} server
 */
function keepIdleConnections(server) {
  server.closeIdleConnections = () => {};
}

/**
 * Delays the end of a connection after its last reply: closed at once, what the client still sends would reset it before the
 * client has read the reply.
 * @param {import('node:net').Socket} socket @param {number} lingerMs
 */
function lingerAfterReply(socket, lingerMs) {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
}

exports.replyOn = replyOn;
exports.isReadingBody = isReadingBody;
exports.keepIdleConnections = keepIdleConnections;
exports.lingerAfterReply = lingerAfterReply;
