'use strict';

const request = require('supertest');

const { PROBLEMS } = require('../../server/core/errors');
/** @type {any} */
const document = require('../../server/writer/openapi.json');
const { WRITE_PROBLEMS } = require('../../server/writer/errors');
const { readerOf } = require('../helpers/openapi');
const { prepareWrites, serveWriter, startWriter } = require('../helpers/writer');

const { resolve, schemaErrors, differencesFrom } = readerOf(document);
const served = serveWriter();

/** @type {{ path: string, method: string, operation: any }[]} */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(/** @type {object} */ (methods)).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document of the writer', () => {
  test('names every problem that the writer has', () => {
    const { enum: types } = document.components.schemas.Problem.properties.type;
    const { hiddenProduct, notYet, withoutSearch, withoutShop, withoutSkus } = PROBLEMS;
    const ofReaders = [hiddenProduct, notYet, withoutSearch, withoutShop, withoutSkus];
    const slugs = [...Object.values(PROBLEMS), ...Object.values(WRITE_PROBLEMS)]
      .filter((kind) => !ofReaders.includes(kind))
      .map(({ slug }) => slug);
    expect([...types].sort()).toEqual([...new Set(slugs)].sort().map((slug) => `urn:catalog:problem:${slug}`));
  });

  test('has examples that fit their schemas', () => {
    const contents = operations.flatMap(({ operation: { requestBody, responses } }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((response) => Object.values(resolve(response).content ?? {})),
    ]);
    const examples = contents.filter(({ example }) => example !== undefined);
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.flatMap(({ schema, example }) => schemaErrors(schema, example))).toEqual([]);
  });

  test('requires a key for each operation, and has no unused component', () => {
    expect(operations.filter(({ operation }) => !operation.security)).toEqual([]);
    const text = JSON.stringify(document);
    const components = Object.entries(document.components).flatMap(([kind, all]) =>
      Object.keys(/** @type {object} */ (all)).map((name) => `#/components/${kind}/${name}`),
    );
    const unused = components.filter((component) => !text.includes(`"${component}"`));
    expect(unused).toEqual(['#/components/securitySchemes/key']); // named by `security`
  });
});

/** @typedef {{ method: string, path: string, body?: any, headers?: Record<string, string>, key?: string | null, url?: string }} Call */

/** @param {Call} call @returns {Promise<any>} the reply, compared with the document */
async function send({ method, path, body, headers = {}, key = served.key, url = served.app.url }) {
  const call = /** @type {any} */ (request(url))[method](path).buffer(true);
  const type = method === 'patch' ? 'application/merge-patch+json' : 'application/json';
  if (key) call.set('Authorization', `Bearer ${key}`);
  if (body !== undefined) call.set('Content-Type', type);
  for (const [name, value] of Object.entries(headers)) call.set(name, value);
  const response = await (body === undefined
    ? call
    : call.send(typeof body === 'string' ? body : JSON.stringify(body)));
  const template = Object.keys(document.paths).find((each) =>
    new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0]),
  );
  const wanted = resolve(
    document.paths[String(template)]?.[method === 'head' ? 'get' : method]?.responses[response.status],
  );
  const found = wanted ? differencesFrom(wanted, method.toUpperCase(), response) : ['is not documented'];
  expect({ method, path, status: response.status, found }).toEqual({
    method,
    path,
    status: response.status,
    found: [],
  });
  return response;
}

const ANY = { 'If-Match': '*' };
const KEY = { 'Idempotency-Key': 'contract' };
const product = document.paths['/products'].post.requestBody.content['application/json'].example;

describe('every reply of the writer matches the document', () => {
  test('of a product that is made, read, changed, rolled back and deleted', async () => {
    const made = await send({ method: 'post', path: '/products', body: { ...product, related: [1] }, headers: KEY });
    expect(made.status).toBe(201);
    const path = made.headers.location;
    for (const method of ['get', 'head']) await send({ method, path });
    const patched = await send({ method: 'patch', path, body: { name: 'x' } });
    const put = await send({ method: 'put', path, body: { ...patched.body, name: 'y' }, headers: ANY });
    await send({
      method: 'post',
      path: `${path}/rollback`,
      body: { to: 1, reason: 'x' },
      headers: { 'If-Match': put.headers.etag },
    });
    for (const tail of ['', '?limit=1', '/1', '/1/diff?to=2'])
      await send({ method: 'get', path: `${path}/revisions${tail}` });
    const gone = await send({ method: 'delete', path, headers: ANY });
    expect(gone.status).toBe(204);
    await send({ method: 'get', path: `${path}/revisions/5` });
    await send({ method: 'get', path: `${path}/revisions/5/diff?to=1` });
    const back = await send({
      method: 'post',
      path: `${path}/rollback`,
      body: { to: 1, reason: 'x' },
      headers: { 'If-None-Match': '*' },
    });
    expect(back.status).toBe(201);
  });

  test('of quantities that are changed', async () => {
    const key = await prepareWrites(served.catalog, { name: 'till', scopes: ['stock'] });
    const body = { set: [[37, 1], [38, 9, 9]], adjust: [[999, 1]], compare: 'none' }; // prettier-ignore
    const prefer = { Prefer: 'respond-async' };
    const path = '/skus/37/quantity';
    for (const [status, call] of /** @type {[status: number, call: Call][]} */ ([
      [200, { method: 'post', path: '/stock', body, headers: KEY }],
      [202, { method: 'post', path: '/stock', body, headers: { ...KEY, ...prefer } }],
      [200, { method: 'get', path: '/writes/1' }],
      [404, { method: 'get', path: '/writes/99' }],
      [200, { method: 'put', path, body: { quantity: 2, was: 1 } }],
      [202, { method: 'put', path, body: { quantity: 3, compare: 'none' }, headers: prefer }],
      [404, { method: 'put', path: '/skus/999/quantity', body: { quantity: 2, was: 1 } }],
      [409, { method: 'put', path, body: { quantity: 2, was: 99 } }],
      [415, { method: 'put', path, body: {}, headers: { 'Content-Type': 'text/plain' } }],
      [422, { method: 'put', path, body: { quantity: 2 } }],
      [428, { method: 'post', path: '/stock', body }],
      [400, { method: 'put', path: '/skus/x/quantity', body: {} }],
      [403, { method: 'get', path: '/writes/1', key: served.key }],
      [401, { method: 'post', path: '/stock', body, key: null }],
    ]))
      expect([call, (await send({ key, ...call })).status]).toEqual([call, status]);
  });

  test('of the feed', async () => {
    const key = await prepareWrites(served.catalog, { name: 'shop', scopes: ['changes'] });
    const get = (/** @type {string} */ path, headers = {}) => send({ method: 'get', path, headers, key });
    expect((await get('/changes?after=1.0')).body.changes.length).toBeGreaterThan(1);
    const { next } = (await get('/changes?after=head', { Prefer: 'wait=1' })).body;
    const stream = await send({ method: 'head', path: `/changes/stream?after=${next}`, key });
    const refused = [await get('/changes'), await get('/changes?after=0.1'), await get('/changes/stream?after=0.1')];
    expect([stream, ...refused].map(({ status }) => status)).toEqual([200, 400, 410, 410]);
  });

  test.each(
    /** @type {[status: number, call: Call][]} */ ([
      [400, { method: 'get', path: '/products/x' }],
      [400, { method: 'post', path: '/products', body: '{', headers: KEY }],
      [400, { method: 'put', path: '/products/1', body: product, headers: { 'If-None-Match': '"x"' } }],
      [400, { method: 'post', path: '/products', body: product, headers: { 'Idempotency-Key': 'ü' } }],
      [400, { method: 'get', path: '/products/1/revisions?limit=0' }],
      [400, { method: 'get', path: '/products/1/revisions/1/diff' }],
      [401, { method: 'get', path: '/products/1', key: null }],
      [403, { method: 'get', path: '/changes?after=head' }],
      [403, { method: 'get', path: '/changes/stream?after=head' }],
      [401, { method: 'post', path: '/products', body: product, key: 'ck_00000000_' }],
      [404, { method: 'get', path: '/products/3' }],
      [404, { method: 'patch', path: '/products/3', body: {} }],
      [404, { method: 'delete', path: '/products/3', headers: ANY }],
      [404, { method: 'get', path: '/products/2/revisions/1' }],
      [412, { method: 'put', path: '/products/1', body: { ...product, related: [] }, headers: { 'If-Match': '"x"' } }],
      [412, { method: 'delete', path: '/products/1', headers: { 'If-Match': '"x"' } }],
      [413, { method: 'put', path: '/products/1', body: ' '.repeat(2 ** 20 + 1), headers: ANY }],
      [415, { method: 'patch', path: '/products/1', body: {}, headers: { 'Content-Type': 'text/plain' } }],
      [422, { method: 'patch', path: '/products/1', body: { name: 1 } }],
      [422, { method: 'post', path: '/products', body: { ...product, name: 'reused' }, headers: KEY }],
      [428, { method: 'post', path: '/products', body: product }],
      [428, { method: 'delete', path: '/products/1' }],
    ]).map(([status, call]) => ({ status, ...call })),
  )('a $status of $method $path', async ({ status, ...call }) => expect((await send(call)).status).toBe(status));

  test('a 503 without a database', async () => {
    const away = await startWriter('postgres://x@127.0.0.1:1/x', { READY_WAIT_MS: 0 });
    const reply = await send({ method: 'get', path: '/products/1', url: away.url });
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '1']);
    const ready = await fetch(`${away.adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, database: 'down', draining: false, late: false },
    ]);
    await away.close();
  });

  test('metrics count the replies and the groups', async () => {
    const text = await (await fetch(`${served.app.adminUrl}/metrics`)).text();
    expect(text).toMatch(/^catalog_replies_total\{route="create",status="201"\} 1$/m);
    expect(text).toMatch(/^catalog_write_group_size_count\{kind="content"\} [1-9]/m);
    expect(text).toMatch(/^catalog_stock_logged_total 7$/m);
    expect(text).toMatch(/^catalog_stock_rejected_total [4-9]$/m);
    expect(text).toMatch(/^catalog_stock_unapplied_seconds \d/m);
    expect(text).toMatch(/^catalog_ready 1$/m);
  });
});
