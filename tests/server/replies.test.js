'use strict';

const http = require('node:http');
const vm = require('node:vm');

const request = require('supertest');

const { serveCatalog } = require('../helpers/app');
const { manyProducts } = require('../helpers/database');
const { request: ask } = require('../helpers/http');

describe('a reply', () => {
  const served = serveCatalog(manyProducts(100));
  const get = (/** @type {string} */ path) => request(served.app.url).get(path).set('Accept-Encoding', 'identity');

  test.each(['/products?count=20', '/products/2', '/products/2/styles', '/products/2/related'])(
    '%s: a validator answers 304 without a body, from the database and from L1',
    async (path) => {
      const { headers } = await get(path);
      expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
      expect(headers['cache-control']).toBe('public, max-age=10, stale-while-revalidate=60');
      for (const value of [headers.etag, `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
        const second = await get(path).set('If-None-Match', value);
        expect(second.status).toBe(304);
        expect(second.text).toBe('');
        expect(second.headers.etag).toBe(headers.etag);
      }
      expect((await get(path).set('If-None-Match', '"x"')).status).toBe(200);
    },
  );

  test('an If-Match of another copy gets a 412, from the database and from L1', async () => {
    for (const path of ['/products/4', '/products/4', '/products/4', '/docs']) {
      const refused = await get(path).set('If-Match', '"x", W/"y"').set('If-None-Match', '*');
      expect([refused.status, refused.type]).toEqual([412, 'application/problem+json']);
      const { etag } = (await get(path)).headers;
      for (const value of [etag, `"x", ${etag}`, '*'])
        expect((await get(path).set('If-Match', value)).status).toBe(200);
    }
  });

  test.each(['/products', '/products/2', '/products/2/styles', '/products/2/related', '/docs'])(
    'HEAD %s has the headers of GET',
    async (path) => {
      const wanted = (await get(path)).headers;
      const head = await request(served.app.url).head(path).set('Accept-Encoding', 'identity');
      expect({ ...head.headers, date: '' }).toEqual({ ...wanted, date: '' });
      expect(head.text).toBeFalsy();
    },
  );

  test('gzip has the same content, a validator of its own and Vary on both variants', async () => {
    const path = '/products?count=50';
    const plain = await get(path);
    for (let round = 0; round < 3; round += 1) {
      const packed = await fetch(served.app.url + path, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(await packed.text()).toBe(plain.text);
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(packed.headers.get('vary')).toBe('Accept-Encoding');
      expect(packed.headers.get('etag')).toBe(plain.headers.etag.replace(/"$/, '-gzip"'));
    }
    expect(plain.headers.vary).toBe('Accept-Encoding');
    const etag = plain.headers.etag.replace(/"$/, '-gzip"');
    const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag };
    expect((await fetch(served.app.url + path, { headers })).status).toBe(304);
  });

  test('a body too small to compress is never compressed and does not vary', async () => {
    const response = await request(served.app.url).get('/products/2/related').set('Accept-Encoding', 'gzip');
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBeUndefined();
  });

  test('two simultaneous requests of a long list get the same compressed bytes', async () => {
    const path = '/products?count=100';
    const headers = { 'Accept-Encoding': 'gzip' };
    const [first, second] = await Promise.all([1, 2].map(() => fetch(served.app.url + path, { headers })));
    expect(first.headers.get('content-encoding')).toBe('gzip');
    const plain = (await get(path)).text;
    expect(plain.length).toBeGreaterThan(32 * 1024);
    expect([await first.text(), await second.text()]).toEqual([plain, plain]);
  });

  test('an unknown query parameter does not bypass the cache', async () => {
    for (let round = 0; round < 2; round += 1) await get('/products?count=7');
    const before = served.app.counts.database;
    await get('/products?utm_source=x&count=7&page=1');
    await get('/products/?count=7&fbclid=%zz');
    expect(served.app.counts.database).toBe(before);
  });

  test.each(['/products?page=3&count=13', '/products/292', '/products/292/styles', '/products/292/related'])(
    '1,000 simultaneous requests for %s, which no cache holds, cost one query',
    async (path) => {
      const before = served.app.counts.database ?? 0;
      const agent = new http.Agent({ keepAlive: true });
      const replies = await Promise.all(Array.from({ length: 1000 }, () => ask(served.app.url + path, { agent })));
      agent.destroy();
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(served.app.counts.database - before).toBe(1);
    },
  );

  test('a request id is returned, and a problem names it', async () => {
    const known = await get('/products/1').set('X-Request-Id', 'abc-1');
    expect([known.headers['x-request-id'], known.body.instance]).toEqual(['abc-1', 'urn:request:abc-1']);
    const made = await get('/products/1').set('X-Request-Id', 'not sane!');
    expect(made.body.instance).toBe(`urn:request:${made.headers['x-request-id']}`);
    const ok = await get('/products/2').set('X-Request-Id', 'abc-2');
    expect(ok.headers['x-request-id']).toBe('abc-2');
    const preflight = await request(served.app.url).options('/products/2').set('X-Request-Id', 'abc-3');
    expect(preflight.headers['x-request-id']).toBe('abc-3');
  });

  test('/openapi.json and /docs load nothing from another host', async () => {
    const page = await get('/docs');
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
    expect(links.filter((link) => /^(\w+:|\/)/.test(link))).toEqual(['data:,']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect((await get('/openapi.json')).body.openapi).toBe('3.1.0');
    expect((await get('/docs/package.json')).status).toBe(404);
  });

  test.each(['/docs', '/docs/', '/api/docs', '/api/v1/docs/'])(
    'the page at %s finds all files that it loads',
    async (path) => {
      const prefix = path.replace(/\/docs\/?$/, '');
      const location = new URL(`https://shop.example${path}`);
      const { text } = await get(path.slice(prefix.length));
      const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => new URL(link, location));
      const loaded = links.filter(({ origin }) => origin === location.origin).map(({ pathname }) => pathname);
      expect(loaded).toHaveLength(3);
      const ofPage = jest.fn();
      const script = (await get('/docs/init.js')).text;
      vm.runInNewContext(script, { location, SwaggerUIBundle: ofPage });
      const [{ url, requestInterceptor }] = ofPage.mock.calls[0];
      const asked = requestInterceptor({ url: `${location.origin}/products/8` });
      for (const target of [...loaded, url]) {
        expect(target.startsWith(`${prefix}/`)).toBe(true);
        expect((await get(target.slice(prefix.length))).status).toBe(200);
      }
      expect(asked.url).toBe(`${location.origin}${prefix}/products/8`);
    },
  );

  test('health and metrics are on the admin listener only', async () => {
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect((await get(path)).status).toBe(404);
      expect((await request(served.app.adminUrl).get(path)).status).toBe(200);
    }
    const { text } = await request(served.app.adminUrl).get('/metrics');
    expect(text).toMatch(/catalog_replies_total\{route="product",status="200"\} \d+/);
    expect(text).toMatch(/catalog_reads_total\{tier="l1"\} \d+/);
    expect(text).toMatch(/catalog_replies_total\{route="preflight",status="204"\} [1-9]/);
  });
});
