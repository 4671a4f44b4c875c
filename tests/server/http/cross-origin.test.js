'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog, startService } = require('../../helpers/app');
const { request, sendBytes } = require('../../helpers/http');
const { freePort } = require('../../helpers/servers');

/** Headers that front ends, tracing, proxies and browser libraries send. */
const askedHeaders = [
  'authorization',
  'baggage,sentry-trace',
  'baggage, sentry-trace',
  'x-requested-with',
  'cache-control,pragma',
  'if-modified-since',
  'X-API-Key',
  'authorization,content-type,traceparent,tracestate,x-datadog-origin',
  `x-${'long-'.repeat(600)}header`,
];
const noHeaders = ['a b', 'x-a,', ',', 'x:y', 'x-a;q=1', '"x"', 'x-\u00e9', 'x\tb', 'x-a,'.repeat(1200) + 'x-b'];

describe('a page of another origin', () => {
  const served = serveCatalog();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'cross-origin-'));
  /** @type {Awaited<ReturnType<typeof startNginx>>[]} */
  const nginxes = [];
  const urls = { 'a worker': '', nginx: '', 'nginx without workers': '', 'a worker without a database': '' };
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let away;
  beforeAll(async () => {
    fs.chmodSync(dir, 0o711);
    away = await startService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0 });
    const port = await freePort(3);
    const { host } = new URL(served.app.url);
    for (const [index, worker] of [host, `127.0.0.1:${port + 2}`].entries())
      nginxes.push(await startNginx({ dir: path.join(dir, `${index}`), port: port + index, workers: [worker] }));
    Object.assign(urls, {
      'a worker': served.app.url,
      nginx: `http://127.0.0.1:${port}`,
      'nginx without workers': `http://127.0.0.1:${port + 1}`,
      'a worker without a database': away.url,
    });
  });
  afterAll(async () => {
    for (const nginx of nginxes) await nginx.stop();
    await away?.close();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {'a worker' | 'nginx'} front @param {string} [asked] @param {string} [target] */
  async function preflight(front, asked, target = '/products/1') {
    const ask = asked === undefined ? '' : `Access-Control-Request-Headers: ${asked}\r\n`;
    const head = `Host: x\r\nOrigin: https://shop.example\r\nAccess-Control-Request-Method: GET\r\n${ask}`;
    const text = await sendBytes(
      Number(new URL(urls[front]).port),
      `OPTIONS ${target} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 204 /);
    return Object.fromEntries(
      [...text.matchAll(/^([\w-]+): (.*)\r$/gm)].map(([, name, value]) => [name.toLowerCase(), value]),
    );
  }

  describe.each(/** @type {const} */ (['a worker', 'nginx']))('may send to %s', (front) => {
    test.each(askedHeaders)('the headers %s', async (asked) => {
      expect(await preflight(front, asked)).toMatchObject({
        'access-control-allow-headers': asked,
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-max-age': '86400',
        vary: 'Access-Control-Request-Headers',
      });
    });

    test.each([undefined, '', ...noHeaders])(
      'any header after a preflight for %j, which the reply does not repeat',
      async (asked) => {
        expect(await preflight(front, asked)).toMatchObject({
          'access-control-allow-headers': 'Authorization, *',
          vary: 'Access-Control-Request-Headers',
        });
      },
    );
  });

  describe.each(/** @type {const} */ (['a worker', 'nginx']))('sends a preflight to %s first', (front) => {
    const malformed = front === 'nginx' ? [] : ['/products/%zz']; // nginx answers 400, whatever the method
    test.each(['/nowhere', '/qa/questions?product_id=1', '/products/1/nothing', '/products/x', ...malformed])(
      'for %s, and then can read the problem',
      async (target) => {
        expect(await preflight(front, 'x-api-key', target)).toMatchObject({
          'access-control-allow-headers': 'x-api-key',
          'access-control-allow-origin': '*',
        });
        const { status, headers } = await request(urls[front], { path: target });
        expect(status).toBe(target.startsWith('/products/') && !target.endsWith('nothing') ? 400 : 404);
        expect(headers['access-control-allow-origin']).toBe('*');
      },
    );
  });

  test.each(
    /** @type {[keyof typeof urls, string, Parameters<typeof request>[1], number][]} */ ([
      ...['a worker', 'nginx'].flatMap((front) => [
        [front, '/products/1', {}, 200],
        [front, '/products/1', { method: 'HEAD' }, 200],
        [front, '/products/1', { method: 'OPTIONS' }, 204],
        [front, '/products/1', { headers: { 'If-None-Match': '*' } }, 304],
        [front, '/products/1', { headers: { 'If-Match': '"x"' } }, 412],
        [front, '/products', { headers: { 'Accept-Encoding': 'gzip' } }, 200],
        [front, '/docs', {}, 200],
        [front, '/products/x', {}, 400],
        [front, '/products/3', {}, 404],
        [front, '/nowhere', {}, 404],
        [front, '/nowhere', { method: 'OPTIONS' }, 404],
        [front, '/products/1', { method: 'DELETE' }, 405],
        [front, '/products/1', { headers: { 'Content-Length': '20000' } }, 413],
        [front, '/products/1', { headers: { 'X-Long': 'x'.repeat(20_000) } }, 431],
      ]),
      ['nginx', '/metrics', {}, 404],
      ['nginx', '/metrics', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }, 404],
      ['nginx', '/products', { method: 'TRACE' }, 405],
      ['nginx', `/${'x'.repeat(9500)}`, {}, 414],
      ['nginx without workers', '/products/1', {}, 503],
      ['a worker without a database', '/products/1', {}, 503],
    ]),
  )('may read from %s %s with %j the status %d, and its timing', async (front, target, options, status) => {
    for (let round = 0; round < 10; round += 1) {
      const reply = await request(urls[front], { path: target, ...options });
      expect([reply.status, reply.headers]).toEqual([
        status,
        expect.objectContaining({
          'access-control-allow-origin': '*',
          'access-control-expose-headers':
            'Allow, Catalog-Cursor, Catalog-Version, ETag, Link, Retry-After, X-Request-Id, X-Total-Count',
          'timing-allow-origin': '*',
        }),
      ]);
    }
  });
});
