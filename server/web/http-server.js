'use strict';

const { randomUUID } = require('node:crypto');
const http = require('node:http');
const { setImmediate: nextTurn, setTimeout: pause } = require('node:timers/promises');

const { PROBLEMS, Problem } = require('../errors');
const { EVENTS } = require('../events');
const { within } = require('../lifecycle');
const { createListeningSockets } = require('./listening-sockets');
const { problemReply } = require('./problem');
const { headText } = require('./whole-reply');

/** How often Node looks for requests and headers that are over their time. */
const CHECK_MS = 1000;
/** A refused client's connection stays this long: closed at once, what it still sends would reset it before it has read why. */
const LINGER_MS = 1000;

/**
 * The public listener, with every limit of node:http set.
 * @param {object} parts
 * @param {import('../config').Config} parts.config
 * @param {import('node:http').RequestListener} parts.listener with what stands before it
 * @param {import('./problem').Refuse} parts.refuse
 * @param {import('node:http').ServerOptions} parts.messages made by messageOptions()
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {import('../events').Events} parts.events
 */
function createHttpServer({ config, listener, refuse, messages, commonHeaders, events }) {
  const server = http.createServer(
    {
      keepAliveTimeout: config.HTTP_KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: config.HTTP_HEADERS_TIMEOUT_MS,
      requestTimeout: config.HTTP_REQUEST_TIMEOUT_MS,
      maxHeaderSize: config.HTTP_MAX_HEADER_BYTES,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
      requireHostHeader: false, // the listener asks for it, and answers with a problem
      ...messages,
    },
    listener,
  );
  const listening = createListeningSockets(server);
  const { dropSilent, underWay } = watchConnections(server, config.HTTP_MAX_CONNECTIONS);
  server.on('clientError', createClientErrorHandler(commonHeaders, events));
  server.on('checkExpectation', (req, res) => {
    const detail = 'No expectation but 100-continue can be met.';
    refuse(new Problem(PROBLEMS.expectationFailed, detail), req, res);
  });
  return {
    name: 'http',
    /** @throws when the port is taken */
    async open() {
      await listening.open(config.PORT, config.HOST);
    },
    /**
     * First only says Connection: close for a while, so that proxies let go of their idle connections
     * by themselves; closing at once would reset the one a request is just being sent on.
     */
    async close() {
      await pause(config.DRAIN_GRACE_MS);
      const closed = listening.close();
      await nextTurn(); // a request that has arrived is read before
      dropSilent();
      const leftMs = config.DRAIN_DEADLINE_MS - config.DRAIN_GRACE_MS;
      if (!(await within(closed, leftMs))) server.closeAllConnections();
    },
    /** Answers each request that has no answer yet with a 500. @param {unknown} error its reason, for the log */
    refuseUnderWay(error) {
      for (const res of underWay()) if (!res.headersSent) refuse(error, res.req, res);
    },
    get port() {
      return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    },
  };
}

/**
 * A closed server looks no more for requests that are over their time, and does not take for idle a connection that sent
 * nothing, half a head or half a body: one of them would make a stop last for its whole deadline.
 * @param {import('node:http').Server} server @param {number} max what comes above it is closed
 * @returns {{ dropSilent: () => void, underWay: () => http.ServerResponse[] }} dropSilent ends the connections that wait for no
 *   reply, and each other one with its last reply
 */
function watchConnections(server, max) {
  /** @typedef {import('node:net').Socket & { _httpMessage?: http.ServerResponse }} Socket with the reply under way, as Node's documentation has it */
  /** @type {Set<Socket>} */
  const sockets = new Set();
  // close() calls it, and it takes a reply for sent when end() was called: a slow reader's would be cut.
  server.closeIdleConnections = () => {};
  // A reply that began before the drain has said keep-alive: its connection would hold the stop to the deadline.
  const drop = (/** @type {Socket} */ socket) => {
    if (socket._httpMessage) socket._httpMessage.once('finish', () => drop(socket));
    else socket.destroySoon();
  };
  server.prependListener('connection', (socket) => {
    if (sockets.size >= max) socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    dropSilent: () => sockets.forEach(drop),
    underWay: () => [...sockets].flatMap(({ _httpMessage }) => _httpMessage ?? []),
  };
}

/** What Node says of a request that was begun: its body came too late, not whole or with a false length. */
const OF_A_BODY = /^(ERR_HTTP_REQUEST_TIMEOUT|HPE_INVALID_EOF_STATE|HPE_INVALID_CHUNK_SIZE)$/;

/**
 * Bytes that never became a request: Express does not see them, so the problem is written by hand.
 * @param {string[]} commonHeaders headers that all replies carry
 * @param {import('../events').Events} events
 */
function createClientErrorHandler(commonHeaders, events) {
  /** @param {Error & { code?: string }} error @param {import('node:stream').Duplex & { bytesWritten?: number }} socket */
  return (error, socket) => {
    // Of a body that nobody reads the reply may have been sent: a second one would answer the client's next request.
    const answered = OF_A_BODY.test(error.code ?? '') && socket.bytesWritten !== 0;
    if (error.code === 'ECONNRESET' || answered || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = clientProblem(error.code);
    const { status, title } = problem.kind;
    const { headers, body } = problemReply(problem, randomUUID(), commonHeaders);
    const head = headText([...headers, 'Connection', 'close']);
    socket.end(`HTTP/1.1 ${status} ${title}\r\n${head}\r\n${body}`);
    events.emit(EVENTS.replied, 'problem', status, 0);
    // Node forgets the socket here: one whose client never closes would stay for ever.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
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

exports.createHttpServer = createHttpServer;
