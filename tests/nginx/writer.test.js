'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const os = require('node:os');
const path = require('node:path');
const { json, text } = require('node:stream/consumers');

const { renderNginx } = require('../../nginx/render');
const { makeCertificate } = require('../helpers/certificate');
const { runNginx } = require('../helpers/nginx');
const { freePort } = require('../helpers/servers');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'nginx-writer-'));
/** @type {Awaited<ReturnType<typeof runNginx>>} */
let nginx;
let port = 0;
/** @type {http.Server[]} */
let writers = [];
/** @type {http.IncomingMessage[]} */
const arrived = [];
/** @type {http.RequestListener} what a writer does with a request, which a test sets */
let answer = (req, res) => void req.resume().on('end', () => res.end('{}'));

beforeAll(async () => {
  const [publicPort, own] = [await freePort(3), await freePort(2)];
  port = publicPort + 2;
  const made = makeCertificate(dir);
  if (!made) throw new Error('openssl is missing');
  writers = [0, 1].map((index) =>
    http.createServer((req, res) => (arrived.push(req), answer(req, res))).listen(own + index, '127.0.0.1'),
  );
  const addresses = [0, 1].map((index) => `127.0.0.1:${own + index}`);
  const settings = { port: publicPort, workers: ['127.0.0.1:1'], work: dir, logs: dir, openFiles: 1024 };
  const tls = { certificate: made.certFile, key: made.keyFile, port: publicPort + 1 };
  nginx = await runNginx(dir, renderNginx({ ...settings, tls, writers: { port, addresses } }));
});
beforeEach(() => void arrived.splice(0));
afterAll(async () => {
  await nginx?.stop();
  for (const writer of writers) {
    writer.closeAllConnections();
    writer.close();
  }
  fs.rmSync(dir, { recursive: true });
});

/** @param {string} method @param {string} target @param {Record<string, string>} [headers] */
const open = (method, target, headers) =>
  https.request({ port, host: '127.0.0.1', method, path: target, headers, rejectUnauthorized: false });

/** @param {http.ClientRequest} request @param {string | Buffer} [body] */
async function finish(request, body) {
  request.on('error', () => {});
  request.end(body);
  const [response] = await once(request, 'response');
  return response;
}

test.each([
  ['POST', '{"a":1}'],
  ['PUT', '{"a":1}'],
  ['PATCH', '{"a":1}'],
  ['DELETE', ''],
  ['GET', ''],
])('%s reaches a writer once, with its body and headers', async (method, body) => {
  answer = async (req, res) => {
    const { authorization, 'x-forwarded-proto': scheme } = req.headers;
    res.end(JSON.stringify([req.method, req.url, await text(req), authorization, scheme]));
  };
  const response = await finish(open(method, '/products/7?x=1', { Authorization: 'Bearer k' }), body);
  expect(await json(response)).toEqual([method, '/products/7?x=1', body, 'Bearer k', 'https']);
  expect(arrived.length).toBe(1);
});

test('a body above 16 MB is refused, except of /bulk', async () => {
  answer = (req, res) => void req.resume().on('end', () => res.end('{}'));
  const body = Buffer.alloc(17 * 2 ** 20, ' ');
  const refused = await finish(open('POST', '/stock', { 'Content-Length': String(body.length) }));
  expect([refused.statusCode, /** @type {any} */ (await json(refused)).detail]).toEqual([
    413,
    'The body is longer than 16 MB. Use /bulk.',
  ]);
  expect((await finish(open('POST', '/bulk'), body)).statusCode).toBe(200);
});

test.each(['/bulk', '/changes/stream'])('%s passes unbuffered both ways', async (target) => {
  const begun = Promise.withResolvers();
  answer = (req, res) => {
    res.flushHeaders();
    req.on('data', (chunk) => res.write(chunk));
    begun.resolve(res);
  };
  const request = open('POST', target);
  request.on('error', () => {});
  request.write('first\n');
  const [response] = await once(request, 'response');
  expect(String((await once(response, 'data'))[0])).toBe('first\n');
  request.write('second\n');
  expect(String((await once(response, 'data'))[0])).toBe('second\n');
  request.destroy();
  /** @type {http.ServerResponse} */ (await begun.promise).destroy();
});

// Last: each takes a writer away for a while.
test.each(['POST', 'PUT'])(
  '%s is not sent again when its writer is lost, and the client gets a 503 that says so',
  async (method) => {
    answer = (req) => void req.socket.destroy();
    const response = await finish(open(method, '/products'), '{}');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1']);
    expect(await json(response)).toMatchObject({ detail: expect.stringContaining('may have been done') });
    expect(arrived.length).toBe(1);
  },
);

test('it is not rendered without a certificate', () => {
  const settings = { port: 80, workers: [], work: dir, logs: dir, openFiles: 1024 };
  expect(() => renderNginx({ ...settings, writers: { port: 443, addresses: ['127.0.0.1:7030'] } })).toThrow(
    'needs a certificate',
  );
});
