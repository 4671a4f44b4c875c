'use strict';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');

const express = require('express');

const { Entry } = require('../../../server/cache/entry');
const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { tagsOf, versionOf } = require('../../../server/catalog/keys');
const { createHeaders, headText } = require('../../../server/http/replies/headers');
const { createHttpServer } = require('../../../server/http/listener/http-server');
const { messageOptions } = require('../../../server/http/listener/message-options');
const { createWholeReply } = require('../../../server/internals/node/whole-reply');

const everyByte = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256));
const headers = ['Content-Length', String(everyByte.length), 'ETag', '"x"', 'Vary', 'Accept-Encoding'];

const config = loadConfig({ DATABASE_URL: 'postgres://x@/x', PORT: '0', DRAIN_GRACE_MS: '0' });

/** @param {(app: express.Express) => void} [mount] */
async function startServer(mount = () => {}) {
  const whole = createWholeReply(config.HTTP_KEEP_ALIVE_TIMEOUT_MS);
  const app = express();
  app.disable('x-powered-by');
  app.get('/whole', (req, res) => {
    expect(whole.fits(req, res)).toBe(true);
    whole.send(res, headText(headers), everyByte.toString('latin1'));
  });
  app.get('/node', (_req, res) => {
    res.writeHead(200, headers);
    res.end(everyByte);
  });
  mount(app);
  const messages = messageOptions(app);
  const server = createHttpServer({
    config,
    listener: app,
    messages,
    refuse: () => {},
    commonHeaders: [],
    events: createEvents(),
  });
  await server.open();
  return server;
}

/**
 * The bytes of all replies to requests that are written at once on one connection; the last one must close it.
 * @param {number} port @param {string[]} requests
 */
async function answers(port, requests) {
  const socket = net.connect(port, '127.0.0.1');
  /** @type {Buffer[]} */
  const chunks = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(requests.join(''));
  await once(socket, 'close');
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/gm, 'Date: now\r\n');
}

const ask = (/** @type {string} */ path, head = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n`;
const last = ask('/node', 'Connection: close\r\n');

describe('a reply written whole', () => {
  test('has the bytes that Node writes, also for pipelined requests', async () => {
    const server = await startServer();
    try {
      const whole = await answers(server.port, [ask('/whole'), ask('/whole'), last]);
      const node = await answers(server.port, [ask('/node'), ask('/node'), last]);
      expect(whole.length).toBeGreaterThan(3 * everyByte.length);
      expect(whole).toContain('Date: now');
      expect(whole).toBe(node);
    } finally {
      await server.close();
    }
  });

  test('is not used for a HEAD, nor for a connection that will be closed', () => {
    const { fits } = createWholeReply(config.HTTP_KEEP_ALIVE_TIMEOUT_MS);
    const on = (/** @type {string} */ method, /** @type {boolean} */ shouldKeepAlive) =>
      fits(/** @type {any} */ ({ method }), /** @type {any} */ ({ shouldKeepAlive }));
    expect([on('GET', true), on('HEAD', true), on('GET', false)]).toEqual([true, false, false]);
  });
});

describe('the headers of a reply', () => {
  const made = createHeaders(config, { versionOf, tagsOf });
  const long = Buffer.alloc(2000, 'x');
  const html = { type: 'text/html; charset=utf-8' };

  test.each([
    ['a short body', new Entry('a', Buffer.from('[]'))],
    ['a body that may be compressed', new Entry('a', long)],
    ['a page', new Entry('2-1/a', long, { annotation: 'Link: <?page=1>; rel="first"\r\nX-Total-Count: 9\r\n' })],
    ['an empty page', new Entry('2-1/a', Buffer.from('[]'), { annotation: 'Link: </x>; rel="first"\r\n' })],
    ['HTML', new Entry('a', long, html)],
    ['short HTML', new Entry('a', Buffer.from('<p>'), html)],
  ])('are the same as text and as a list: %s', (_, entry) => {
    const { plain, gzip } = made.of(entry);
    expect(made.head(entry, plain, entry.body)).toBe(headText(made.ok(entry, plain, entry.body)));
    expect(made.head(entry, plain, entry.body)).not.toContain('Content-Encoding');
    expect(gzip === null).toBe(entry.body.length < 1024);
    if (!gzip) return;
    const packed = 'made smaller';
    expect(made.head(entry, gzip, packed)).toBe(headText(made.ok(entry, gzip, packed)));
    expect(made.head(entry, gzip, packed)).toContain('Content-Encoding: gzip\r\n');
  });
});

describe('the public listener', () => {
  test("makes requests and responses with Express's prototypes", async () => {
    /** @type {boolean[]} */
    const kept = [];
    const server = await startServer((app) => {
      app.get('/kind', (req, res) => {
        kept.push(Object.getPrototypeOf(req) === app.request && req.app === app);
        kept.push(Object.getPrototypeOf(res) === app.response && res.app === app);
        kept.push(req instanceof http.IncomingMessage && res instanceof http.ServerResponse);
        // made by node:http as a subclass, so that Express changes nothing later
        kept.push(req.constructor !== http.IncomingMessage);
        kept.push(res.constructor !== http.ServerResponse);
        res.json({ host: req.get('host') });
      });
    });
    try {
      const answer = await answers(server.port, [ask('/kind', 'Connection: close\r\n')]);
      expect(answer).toContain('{"host":"x"}');
      expect(kept).toEqual([true, true, true, true, true]);
    } finally {
      await server.close();
    }
  });

  test('answers a GET that has a body, and the next request on its connection', async () => {
    const server = await startServer();
    try {
      const withBody = `${ask('/whole', 'Content-Length: 5\r\n')}hello`;
      const chunked = `${ask('/node', 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`;
      const answer = await answers(server.port, [withBody, chunked, last]);
      expect(answer.split('HTTP/1.1 200 OK\r\n')).toHaveLength(4);
    } finally {
      await server.close();
    }
  });
});
