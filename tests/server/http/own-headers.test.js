'use strict';

const { serveCatalog } = require('../../helpers/app');
const { sendBytes } = require('../../helpers/http');

describe('a worker with CORS_ORIGIN and CACHE_* settings', () => {
  const origin = 'https://shop.example';
  const served = serveCatalog(undefined, { CORS_ORIGIN: origin, CACHE_MAX_AGE_SECONDS: 30, CACHE_STALE_SECONDS: 0 });

  test('sends them in every kind of reply', async () => {
    const { url, service } = served.app;
    const etag = String((await fetch(`${url}/products/1`)).headers.get('etag'));
    const kinds = /** @type {[string, RequestInit, string][]} */ ([
      ['/products/1', {}, '200 public, max-age=30, must-revalidate'], // written whole
      ['/products/1', { method: 'HEAD' }, '200 public, max-age=30, must-revalidate'],
      ['/products/1', { headers: { 'If-None-Match': etag } }, '304 public, max-age=30, must-revalidate'],
      ['/openapi.json', {}, '200 public, max-age=30, must-revalidate'],
      ['/docs', {}, '200 public, max-age=0, must-revalidate'], // so that its files are of one release
      ['/products/3', {}, '404 no-store'],
      ['/products/1', { method: 'OPTIONS' }, '204 null'],
    ]);
    for (const [path, options, wanted] of kinds) {
      const { status, headers } = await fetch(url + path, options);
      expect(`${status} ${headers.get('cache-control')}`).toBe(wanted);
      for (const name of ['access-control-allow-origin', 'timing-allow-origin']) expect(headers.get(name)).toBe(origin);
    }
    expect(await sendBytes(service.ports.http, 'x\r\n\r\n')).toContain(
      `\r\nAccess-Control-Allow-Origin: ${origin}\r\n`,
    );
  });
});

describe('a connection that stays open', () => {
  const served = serveCatalog();

  test('returns each request id, from the database and from L1', async () => {
    for (const id of ['a-1', 'a-2', 'a-3']) {
      const { headers } = await fetch(`${served.app.url}/products/2`, { headers: { 'X-Request-Id': id } });
      expect([headers.get('connection'), headers.get('x-request-id')]).toEqual(['keep-alive', id]);
    }
  });
});
