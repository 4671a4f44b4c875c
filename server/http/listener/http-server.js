'use strict';

const http = require('node:http');
const { setImmediate: nextTurn, setTimeout: pause } = require('node:timers/promises');

const { PROBLEMS } = require('../../core/errors');
const { keepIdleConnections, replyOn } = require('../../internals/node/connections');
const { within } = require('../../core/lifecycle');
const { createClientErrorHandler } = require('./client-error');
const { createListeningSockets } = require('./listening-sockets');
const { unread } = require('./request-body');

/** How often Node checks for requests and headers that have timed out. */
const CHECK_MS = 1000;

/**
 * The public listener, with every limit of node:http set.
 * @param {object} parts
 * @param {import('../../config/config').Config} parts.config
 * @param {import('node:http').RequestListener} parts.listener with the request sampler
 * @param {import('../replies/problem').Refuse} parts.refuse
 * @param {import('node:http').ServerOptions} parts.messages made by messageOptions()
 * @param {string[]} parts.commonHeaders headers that all replies carry
 * @param {import('../../core/events').Events} parts.events
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
      requireHostHeader: false, // the listener requires it, and answers with a problem
      ...messages,
    },
    listener,
  );
  const listening = createListeningSockets(server);
  const { dropSilent, underWay } = watchConnections(server, config.HTTP_MAX_CONNECTIONS);
  server.on('clientError', createClientErrorHandler(commonHeaders, events));
  server.on('checkContinue', listener); // it sends "100 Continue" only when it will read the body
  server.on('checkExpectation', (req, res) => {
    const detail = 'The only expectation that is met is 100-continue. Leave others out.';
    refuse(unread(req, PROBLEMS.expectationFailed, detail), req, res);
  });
  return {
    name: 'http',
    /** @throws when the port is taken */
    async open() {
      await listening.open(config.PORT, config.HOST);
    },
    /**
     * At first only sends Connection: close, so that proxies close their idle connections themselves; closing at once would reset
     * a connection on which a request is just being sent.
     */
    async close() {
      await pause(config.DRAIN_GRACE_MS);
      const closed = listening.close();
      await nextTurn(); // reads the requests that have arrived
      dropSilent();
      const leftMs = config.DRAIN_DEADLINE_MS - config.DRAIN_GRACE_MS;
      if (!(await within(closed, leftMs))) server.closeAllConnections();
    },
    /**
     * Answers each request that is under way now, and still has no answer after that time, with a 500. Later requests did not
     * cause the error.
     * @param {unknown} error its reason, for the log @param {number} afterMs
     */
    refuseUnderWay(error, afterMs) {
      const suspects = new Set(underWay());
      const refuseSuspects = () => {
        for (const res of underWay()) if (suspects.has(res) && !res.headersSent) refuse(error, res.req, res);
      };
      setTimeout(refuseSuspects, afterMs);
    },
    get port() {
      return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    },
  };
}

/**
 * A closed server no longer times requests out, and does not count a connection as idle that sent nothing, half a head or half a
 * body: one of them would make a stop last until its deadline.
 * @param {import('node:http').Server} server @param {number} max connections above it are closed
 * @returns {{ dropSilent: () => void, underWay: () => http.ServerResponse[] }} dropSilent ends the connections that wait for no
 *   reply, and each other one with its last reply
 */
function watchConnections(server, max) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  keepIdleConnections(server);
  // A reply that began before the drain has sent keep-alive: its connection would delay the stop until the deadline.
  // A request whose body is not complete gets no reply.
  const drop = (/** @type {import('node:net').Socket} */ socket) => {
    const reply = replyOn(socket);
    if (reply && (reply.headersSent || reply.req.complete)) reply.once('finish', () => drop(socket));
    else socket.destroySoon();
  };
  server.prependListener('connection', (socket) => {
    if (sockets.size >= max) socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    dropSilent: () => sockets.forEach(drop),
    underWay: () => [...sockets].flatMap((socket) => replyOn(socket) ?? []),
  };
}

exports.createHttpServer = createHttpServer;
