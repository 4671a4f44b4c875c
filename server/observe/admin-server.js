'use strict';

const http = require('node:http');

const { headText } = require('../http/replies/headers');
const { createListeningSockets } = require('../http/listener/listening-sockets');
const { toProblem } = require('../http/replies/problem');
const { withoutBody } = require('../http/listener/request-body');
const { createWholeReply } = require('../internals/node/whole-reply');
const { profile } = require('./profile');

/** Health checks are few and answered at once: short limits keep stuck probes from piling up. */
const TIMEOUT_MS = 5000;

/**
 * @typedef {object} Health
 * @property {boolean} ready whether requests should be sent here
 * @property {Record<string, string | boolean | null | Record<string, string>>} parts state of each part, for a person
 */

/** @typedef {[status: number, type: string, body: string]} Answer */

/**
 * The second listener, on loopback or in a private network: it shows internals. It shares nothing with the public listener, so
 * it answers while that one sheds.
 * @param {object} parts
 * @param {import('../config/config').Config} parts.config
 * @param {() => Health} parts.health
 * @param {import('@prometheus-io/client').Registry} parts.metrics
 * @param {http.ServerOptions} parts.messages the public listener's own
 * @param {Pick<import('./missed-words').MissedWords, 'leastMinutes' | 'list'>} [parts.missed] a writer has none
 */
function createAdminServer({ config, health, metrics, messages, missed }) {
  // The same messages and replies as the public listener's: see http/message-options.js.
  const whole = createWholeReply(TIMEOUT_MS);
  /** @type {Record<string, (req: http.IncomingMessage, url: URL) => Promise<Answer>>} */
  const answers = {
    '/livez': async () => [200, 'text/plain; charset=utf-8', 'ok\n'],
    '/readyz': async () => {
      const { ready, parts } = health();
      return [ready ? 200 : 503, 'application/json', JSON.stringify({ ready, ...parts })];
    },
    '/metrics': async () => [200, metrics.contentType, await metrics.metrics()],
    ...(missed && {
      '/missed': async () => [
        200,
        'application/json',
        JSON.stringify({ least_minutes: missed.leastMinutes, words: missed.list }),
      ],
    }),
    '/profile': (req, url) => profile(req, url, config.PROFILING === 'on'),
  };
  /** @type {http.RequestListener} */
  const answerRequest = async (req, res) => {
    try {
      const url = URL.parse(req.url ?? '/', 'http://admin');
      const answer = url && answers[url.pathname];
      const [status, type, body] = answer
        ? await answer(req, url)
        : [404, 'text/plain', 'try /livez, /readyz or /metrics\n'];
      const bytes = Buffer.from(body);
      const headers = ['Content-Type', type, 'Cache-Control', 'no-store'];
      headers.push('Content-Length', String(bytes.length));
      if (status === 200 && whole.fits(req, res)) whole.send(res, headText(headers), bytes.toString('latin1'));
      else res.writeHead(status, headers).end(bytes);
    } catch (error) {
      res.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
    }
  };
  const listener = withoutBody(answerRequest, (error, _req, res) => {
    const { status, message, headers } = toProblem(error);
    res.writeHead(status, { ...headers, 'Content-Type': 'text/plain' }).end(`${message}\n`);
  });
  const times = { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS, keepAliveTimeout: TIMEOUT_MS };
  const server = http.createServer({ ...messages, ...times }, listener).on('checkContinue', listener);
  const listening = createListeningSockets(server, 1);
  return {
    name: 'admin',
    async open() {
      await listening.open(config.ADMIN_PORT, config.ADMIN_HOST);
    },
    async close() {
      void listening.close();
      server.closeAllConnections();
    },
    get port() {
      return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
    },
  };
}

exports.createAdminServer = createAdminServer;
