'use strict';

const request = require('supertest');

const { serveCatalog, startService } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { sendBytes } = require('../../helpers/http');

describe('a request that cannot be answered', () => {
  const served = serveCatalog(manyProducts(5));
  const get = (/** @type {string} */ path) => request(served.app.url).get(path).set('Accept-Encoding', 'identity');

  test.each(['0', '-1', '01', '1.0', '1e3', 'abc', '2147483648', '1%00', '%20', "1'--", '٣', 'null'])(
    'product %s is refused before the database',
    async (id) => {
      for (const route of ['', '/styles', '/related']) {
        const { status, body } = await get(`/products/${encodeURI(decodeURIComponent(id))}${route}`);
        expect([status, body.type]).toEqual([400, 'urn:catalog:problem:malformed-parameter']);
      }
    },
  );

  test('a read that fails at once counts as failed under its route; a 404 is an answer', async () => {
    const away = { DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0 };
    const app = await startService(away);
    const failed = async (/** @type {string} */ url) =>
      (await (await fetch(`${url}/metrics`)).text()).match(/^catalog_failed_requests_total.*$/gm);
    try {
      for (const path of ['/products/2', '/products/2/styles', '/products?page=2', '/products?after=1'])
        expect((await fetch(app.url + path)).status).toBe(503);
      expect((await failed(app.adminUrl))?.sort()).toEqual([
        'catalog_failed_requests_total{route="product"} 1',
        'catalog_failed_requests_total{route="products"} 2',
        'catalog_failed_requests_total{route="styles"} 1',
      ]);
    } finally {
      await app.close();
    }
    for (let round = 0; round < 3; round += 1) expect((await get('/products/1/related')).status).toBe(404);
    expect(await failed(served.app.adminUrl)).toBeNull();
  });

  test('an unknown product is a 404 on all three routes, repeatedly', async () => {
    for (const path of ['/products/1', '/products/1/styles', '/products/2147483647/related'])
      for (let round = 0; round < 3; round += 1) expect((await get(path)).status).toBe(404);
  });

  test.each(['//', '/product', '/Products', '/products/2/x', '/products/2/styles/1', '/docs/../x', '//products'])(
    '%s is an unknown path',
    async (path) => {
      const answer = await sendBytes(
        Number(new URL(served.app.url).port),
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toContain('HTTP/1.1 404 Not Found');
      expect(answer).toContain('urn:catalog:problem:unknown-path');
    },
  );

  test.each(['/products/%zz', '/products/%E0%A4%A', '/products/%ff/styles'])(
    '%s is a 400 without a stack trace',
    async (path) => {
      const { status, text } = await get(path);
      expect(status).toBe(400);
      expect(text).not.toMatch(/at |node_modules|URIError/);
    },
  );

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    '%s is a 405 that names the allowed methods',
    async (method) => {
      for (const path of ['/products', '/products/2', '/products/2/styles/', '/docs', '/openapi.json']) {
        const response = await fetch(served.app.url + path, {
          method,
          body: method === 'PROPFIND' ? null : '{}',
        });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      }
    },
  );
});
