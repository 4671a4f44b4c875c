'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { rateLimitOf } = require('../../nginx/rate-limit');
const { startNginx } = require('../../scripts/local/nginx');
const { QUERY_PARAMETERS } = require('../../server/core/policy');
const { until } = require('../helpers/app');
const { request } = require('../helpers/http');
const { differences } = require('../helpers/openapi');
const { freePort } = require('../helpers/servers');

/** The burst is one second of requests, and one more is allowed each second. */
const perSecond = 20;
const floodRequests = 50; // this thread also answers them: of 100, a busy machine lets some wait 3 s, and nginx answers 503

describe('with CATALOG_RATE_LIMIT', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rate-'));
  const worker = http.createServer((_, response) => response.end('{}'));
  /** @type {Awaited<ReturnType<typeof startNginx>>} */
  let nginx;
  let url = '';

  beforeAll(async () => {
    const port = await freePort(2);
    await new Promise((resolve) => void worker.listen(port + 1, '127.0.0.1', () => resolve(null)));
    url = `http://127.0.0.1:${port}`;
    fs.chmodSync(dir, 0o711);
    const workers = [`127.0.0.1:${port + 1}`];
    const rateLimit = rateLimitOf({ CATALOG_RATE_LIMIT: String(perSecond) });
    nginx = await startNginx({ dir, port, workers, rateLimit });
  });
  afterAll(async () => {
    worker.closeAllConnections();
    worker.close();
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  test('refuses a flood from one address, and serves another address as usual', async () => {
    const paths = ['/products/1', '/products?count=3', '/products?count=999', '/search?q=x'];
    const flood = Array.from({ length: floodRequests }, (_, index) =>
      request(url + paths[index % paths.length], { localAddress: '127.0.0.1' }),
    );
    const others = Array.from({ length: perSecond }, () => request(`${url}/products/2`, { localAddress: '127.0.0.2' }));
    const replies = await Promise.all(flood);
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(perSecond);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused) {
      expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
      expect(JSON.parse(body).type).toBe('urn:catalog:problem:too-many-requests');
    }
    for (const [index, reply] of replies.entries())
      if (reply.status === 429)
        expect(differences('GET', paths[index % paths.length], { ...reply, text: reply.body })).toEqual([]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (const other of others) expect((await other).status).toBe(200);
  });

  /** All routes of files. @type {string[]} */
  const files = Object.keys(QUERY_PARAMETERS)
    .filter((route) => !/^\/(products|skus|search|suggest|catalog|export|sitemap|feeds|ucp|\.well-known)/.test(route))
    .map((route) => route.replace(':asset', 'main.js'));

  test.each([...files, '/?q=x', '/docs/'])('does not count %s', async (target) => {
    const from = { localAddress: `127.0.4.${2 + files.indexOf(target)}` };
    const replies = await Promise.all(Array.from({ length: 3 * perSecond }, () => request(url + target, from)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await request(`${url}/products/1`, from)).status).toBe(200);
  });

  test.each([
    ['/search?q=/docs', 'GET'],
    ['/docs/../products/1', 'GET'],
    ['/docs/..%2fproducts/1', 'GET'],
    ['/browser/shop/../search', 'GET'],
    ['/documents', 'GET'],
    ['//', 'GET'],
    ['/', 'POST'],
  ])('counts %s by %s', async (target, method) => {
    const { hostname, port } = new URL(url);
    const statusOf = () =>
      new Promise((resolve, reject) => {
        const call = http.request({ hostname, port, path: target, method, localAddress: '127.0.0.5' }, (reply) => {
          resolve(reply.resume().statusCode);
        });
        call.on('error', reject).end();
      });
    expect(await Promise.all(Array.from({ length: floodRequests }, statusOf))).toContain(429);
  });

  test('logs refusals in the access log, not in the error log', async () => {
    const flood = Array.from({ length: floodRequests }, () =>
      request(`${url}/products/3`, { localAddress: '127.0.0.3' }),
    );
    expect((await Promise.all(flood)).map(({ status }) => status)).toContain(429);
    const read = (/** @type {string} */ name) => fs.readFileSync(path.join(dir, 'logs', name), 'utf8');
    await until(() => /^.*"client":"127\.0\.0\.3".*"status":429/m.test(read('nginx-access.log')));
    expect(read('nginx-error.log')).not.toContain('limiting requests');
  });
});

test.each(['10/s', '-1', '1.5', '1e3', '100001', ' '])(
  'refuses CATALOG_RATE_LIMIT "%s" in one line that names it',
  (text) => {
    expect(() => rateLimitOf({ CATALOG_RATE_LIMIT: text })).toThrow(
      `CATALOG_RATE_LIMIT ${text}: must be a whole number`,
    );
  },
);

test.each([{}, { CATALOG_RATE_LIMIT: '' }, { CATALOG_RATE_LIMIT: '0' }])('there is no limit with %j', (env) =>
  expect(rateLimitOf(env)).toBe(0),
);
