'use strict';

const request = require('supertest');

/** @type {any} */
const writerDocument = require('../../server/writer/openapi.json');
const { IGNORED_PARAMETERS, QUERY_PARAMETERS, isPostRoute } = require('../../server/core/policy');
const { ROUTES } = require('../../server/routes');
const { startService } = require('../helpers/app');
const { llmsText } = require('../../server/http/replies/llms-text');
const { createCatalog } = require('../helpers/database');
const { document, differences, resolve, schemaErrors } = require('../helpers/openapi');

describe('the OpenAPI document', () => {
  /** @type {[path: string, operation: any][]} */
  const operations = Object.entries(document.paths).map(([path, item]) => [path, Object.values(item)[0]]);

  /** Pages about the API and over it, which are not part of it. */
  const pages = [
    '/openapi.json',
    '/llms.txt',
    '/docs',
    '/docs/:asset',
    '/',
    '/browser/shop/:asset',
    '/browser/shared/:asset',
    '/client/:asset',
  ];

  test('is retold by llms.txt, a line an operation, in at most 40 lines', () => {
    const lines = llmsText(JSON.stringify(document)).split('\n');
    const told = lines.flatMap((line) => /^- ([A-Z]+ \/\S+): \S/.exec(line)?.[1] ?? []);
    const wanted = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(told).toEqual(wanted);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test('describes the one operation of every route: a GET, or a POST that reads a body', () => {
    const routes = ROUTES.map(([path]) => path)
      .filter((path) => !pages.includes(path))
      .map((path) => path.replace(/:(\w+)/g, '{$1}'));
    expect(Object.keys(document.paths).sort()).toEqual(routes.sort());
    for (const [path, item] of Object.entries(document.paths))
      expect(Object.keys(item)).toEqual([isPostRoute(path) ? 'post' : 'get']);
    expect(operations.map(([, { operationId }]) => operationId)).toEqual([
      'listProducts',
      'getProduct',
      'getStyles',
      'getRelated',
      'listSkus',
      'getSku',
      'exportProducts',
      'searchProducts',
      'suggest',
      'getCatalog',
      'getSitemapIndex',
      'getSitemap',
      'getGoogleFeed',
      'getOpenaiFeed',
      'getUcpProfile',
      'ucpSearch',
      'ucpLookup',
      'ucpProduct',
      'ucpMcp',
    ]);
  });

  test('has the routes and query parameters of the list that makes cache keys, and no others', () => {
    const described = operations.map(([path, { parameters }]) => {
      const inQuery = parameters.map(resolve).filter((/** @type {any} */ one) => one.in === 'query');
      return [path.replace(/\{(\w+)\}/g, ':$1'), inQuery.map((/** @type {any} */ { name }) => name).sort()];
    });
    const listed = Object.entries(QUERY_PARAMETERS).map(([path, names]) => [path, [...names].sort()]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries([...described, ...pages.map((path) => [path, []])]));
  });

  test('declares parameters in each operation, where Swagger UI keeps their names', () => {
    for (const [path, { parameters }] of operations) {
      const inPath = parameters.map(resolve).filter((/** @type {any} */ one) => one.in === 'path');
      expect(inPath.map((/** @type {any} */ { name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  });

  test('names no server, nor does that of the writer: generated clients would request //products', () => {
    for (const described of [document, writerDocument]) expect(described).not.toHaveProperty('servers');
  });

  test('requires no credentials and has no unused component', () => {
    expect(document.security).toEqual([]);
    const text = JSON.stringify(document);
    const components = Object.entries(document.components).flatMap(([kind, all]) =>
      Object.keys(/** @type {object} */ (all)).map((name) => `#/components/${kind}/${name}`),
    );
    expect(components.filter((component) => !text.includes(`"${component}"`))).toEqual([]);
  });

  test('has examples that fit their schemas', () => {
    const wrong = operations.flatMap(([path, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) =>
        Object.values(/** @type {any[]} */ (resolve(response).content ?? {})).flatMap(
          ({ schema, example, examples }) => {
            const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
            return values
              .flatMap((value) =>
                status === '200' || `${value.status ?? status}` === status ? schemaErrors(schema, value) : [value],
              )
              .map((error) => `${path} ${status}: ${error}`);
          },
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('names all parameters that are ignored, and says what is empty or false', () => {
    const [, list] = /other than those that trackers add to links: ([^.]*)\./.exec(document.info.description) ?? [];
    const { endings, beginnings, names } = IGNORED_PARAMETERS;
    const quoted = (/** @type {string} */ text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(quoted(list)).toEqual([...endings, ...beginnings, ...names]);
    const all = operations.flatMap(([, { parameters }]) => parameters.map(resolve));
    for (const one of all) if (one.in === 'query') expect([one.name, one.allowEmptyValue]).toEqual([one.name, true]);
  });

  test('the comparison reports a reply that differs from the document', () => {
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

describe('every reply matches the OpenAPI document', () => {
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
  const included = [
    '/products/1?include=offer,styles,related,related_ids',
    '/products/5?include=related',
    '/products/1?include=x',
  ];
  const more = [
    '?ids=1,3,5',
    '?ids=1,2,4&include=features,offer,styles,related,related_ids',
    '?include=offer',
    '?ids=x',
  ];
  const lists = [...more, '', '?count=2', '?page=2&count=2', '?after=4', '?page=99', '?count=0', '?page=1&page=1'];
  const pages = ['/openapi.json', '/docs', '/docs/init.js', '/docs/swagger-ui.css', '/docs/nothing'];
  const shopWindow = ['/', '/?q=x', '/browser/shop/main.js', '/client/catalog.js', '/browser/shop/nothing'];
  const skus = ['/37', '/40/?include=card', '/9', '/x', '?ids=37,9', '?ids=37,40&include=card', '', '?ids=x', '?idz=1'];
  const exported = [
    '',
    '/',
    '?view=id&after=2',
    '?view=product',
    '?view=full',
    '?after=7',
    '?view=cards',
    '?veiw=id',
    '?utm_source=x',
  ];
  const searches = [
    '/search',
    '/search?q=x',
    '/search?categroy=x',
    '/suggest?q=x',
    '/catalog',
    '/catalog/',
    '/catalog?x=1',
  ];
  const paths = [
    ...searches,
    ...documents,
    ...included,
    ...pages,
    ...shopWindow,
    '/nowhere',
    '/.well-known/ucp',
    '/ucp/catalog/search',
    '/ucp/mcp',
    '/feeds/openai.jsonl',
    ...skus.map((tail) => `/skus${tail}`),
    ...lists.map((query) => `/products${query}`),
    ...exported.map((tail) => `/export${tail}`),
  ];
  const methods = /** @type {const} */ (['get', 'head', 'options', 'post']);

  test.each(paths)('%s', async (path) => {
    for (const method of methods) {
      if (path === '/nowhere' && method === 'options') continue;
      const response = await request(app.url)[method](path).buffer(true);
      expect(differences(method.toUpperCase(), path, response)).toEqual([]);
    }
  });

  test.each(
    /** @type {[path: string, status: number, request: string][]} */ ([
      ['/products', 400, '/products?count=0'],
      ['/export', 400, '/export?veiw=id'],
      ['/search', 400, '/search?count=1001'],
      ['/skus', 400, '/skus'],
      ['/skus/{sku_id}', 400, '/skus/x'],
      ['/skus/{sku_id}', 404, '/skus/9'],
      ...['', '/styles', '/related'].flatMap((tail) => [
        [`/products/{product_id}${tail}`, 400, `/products/x${tail}`],
        [`/products/{product_id}${tail}`, 404, `/products/9${tail}`],
      ]),
    ]),
  )('the example of %s: %d is what %s gets', async (template, status, path) => {
    const { body } = await request(app.url).get(path);
    const { example } = resolve(document.paths[template].get.responses[status]).content['application/problem+json'];
    expect({ ...example, instance: body.instance }).toEqual(body);
  });

  test('a page has a Link and a total, which a batch has not, and both have a version', async () => {
    const replies = await Promise.all(
      ['?count=2', '?ids=1,2'].map((query) => request(app.url).get(`/products${query}`)),
    );
    const version = expect.stringMatching(/^1-\d{16}$/);
    const [page, batch] = replies.map(({ headers }) => headers);
    expect(page).toMatchObject({ link: expect.any(String), 'x-total-count': '5', 'catalog-version': version });
    expect(batch).toEqual(expect.objectContaining({ 'catalog-version': version }));
    expect([batch.link, batch['x-total-count']]).toEqual([undefined, undefined]);
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

  test.each([
    '/products/1',
    '/products',
    '/products/1/styles',
    '/skus/1',
    '/skus?ids=1',
    '/export',
    '/search',
    '/suggest',
    '/catalog',
  ])('a 503 of %s', async (path) => {
    const response = await request(away.url).get(path);
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
    expect(differences('GET', path, response)).toEqual([]);
  });
});
