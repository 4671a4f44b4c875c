'use strict';

const request = require('supertest');

const { ROUTES } = require('../../server/routes');
const { startService } = require('../helpers/app');
const { createCatalog } = require('../helpers/database');
const { document, differences } = require('../helpers/openapi');

describe('the OpenAPI document', () => {
  test('describes every route of the service, and nothing else', () => {
    const routes = ROUTES.map(([path]) => path.replace(/:(\w+)/g, '{$1}'));
    expect(Object.keys(document.paths).sort()).toEqual(routes.sort());
    for (const { parameters: _, ...operations } of Object.values(document.paths))
      expect(Object.keys(operations).sort()).toEqual(['get', 'head', 'options']);
  });

  test('notices a reply that is not as described', () => {
    const headers = { 'content-type': 'application/json', etag: 'W/"x"', 'cache-control': 'x' };
    const wrong = { status: 200, headers, text: '["1"]' };
    expect(differences('GET', '/products/1/related', wrong)).toEqual([
      'ETag: W/"x"',
      'Access-Control-Allow-Origin is missing',
      '/0 must be integer',
    ]);
    expect(differences('GET', '/products/1', { ...wrong, status: 418 })).toHaveLength(1);
  });
});

describe('every reply is as the OpenAPI document says', () => {
  /** @type {import('../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let away;
  beforeAll(async () => {
    catalog = await createCatalog();
    app = await startService({ DATABASE_URL: catalog.dsn });
    away = await startService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', READY_WAIT_MS: 0 });
  });
  afterAll(async () => {
    await app?.close();
    await away?.close();
    await catalog?.drop();
  });

  const documents = ['1', '2', '4', '5', '3', '0', 'x'].flatMap((id) =>
    ['', '/styles', '/related'].map((route) => `/products/${id}${route}`),
  );
  const lists = ['', '?count=2', '?page=2&count=2', '?after=4', '?page=99', '?count=0', '?page=1&page=1'];
  const pages = ['/openapi.json', '/docs', '/docs/init.js', '/docs/swagger-ui.css', '/docs/nothing'];
  const paths = [...documents, ...lists.map((query) => `/products${query}`), ...pages, '/nowhere'];
  const methods = /** @type {const} */ (['get', 'head', 'options', 'post']);

  test.each(paths)('%s', async (path) => {
    for (const method of methods) {
      if (path === '/nowhere' && method === 'options') continue;
      const response = await request(app.url)[method](path).buffer(true);
      expect(differences(method.toUpperCase(), path, response)).toEqual([]);
    }
  });

  test('a 304', async () => {
    const { headers } = await request(app.url).get('/products/1');
    const response = await request(app.url).get('/products/1').set('If-None-Match', headers.etag);
    expect(response.status).toBe(304);
    expect(differences('GET', '/products/1', response)).toEqual([]);
  });

  test.each(['get', 'head'])('a 412 of %s', async (method) => {
    const response = await request(app.url)[/** @type {'get'} */ (method)]('/products/1').set('If-Match', '"x"');
    expect(response.status).toBe(412);
    expect(differences(method.toUpperCase(), '/products/1', response)).toEqual([]);
  });

  test.each(['/products/1', '/products', '/products/1/styles'])('a 503 of %s', async (path) => {
    const response = await request(away.url).get(path);
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
    expect(differences('GET', path, response)).toEqual([]);
  });
});
