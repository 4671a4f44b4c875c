'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog } = require('../../helpers/app');
const { CatalogProblem, createCatalog } = require('../../helpers/client');
const { freePort } = require('../../helpers/servers');

describe('a problem of a worker', () => {
  const served = serveCatalog();

  test('has slug, status, detail and instance', async () => {
    const call = createCatalog({ url: served.app.url }).product(51);
    await expect(call).rejects.toBeInstanceOf(CatalogProblem);
    await expect(call).rejects.toMatchObject({
      name: 'CatalogProblem',
      slug: 'unknown-product',
      status: 404,
      retryAfter: null,
      detail: 'There is no product 51 in the catalog.',
      message: 'There is no product 51 in the catalog. (404 unknown-product)',
      instance: expect.stringMatching(/^urn:request:/),
    });
  });

  test('names the parameter that is wrong, also of an id that comes from a URL', async () => {
    const catalog = createCatalog({ url: served.app.url });
    await expect(catalog.search({ count: 5000 })).rejects.toMatchObject({
      slug: 'malformed-parameter',
      detail: 'count must be a whole number from 0 to 1000, in decimal digits.',
    });
    const id = /** @type {any} */ ('1/styles');
    await expect(catalog.product(id)).rejects.toMatchObject({ slug: 'malformed-parameter', status: 400 });
  });

  test('of a catalog without search says so, and not when to try again', async () => {
    const call = createCatalog({ url: served.app.url }).search({ q: 'x' });
    await expect(call).rejects.toMatchObject({ slug: 'without-search', status: 503, retryAfter: null });
  });
});

test('a problem of nginx is one, too', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'problems-'));
  fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
  const [port, dead] = [await freePort(), await freePort()];
  const nginx = await startNginx({ dir, port, workers: [`127.0.0.1:${dead}`] });
  try {
    const catalog = createCatalog({ url: `http://127.0.0.1:${port}` });
    const wanted = { slug: 'unavailable', status: 503, retryAfter: 1, instance: expect.any(String) };
    await expect(catalog.product(1)).rejects.toMatchObject(wanted);
    await expect(catalog.exportAll().next()).rejects.toMatchObject(wanted);
  } finally {
    await nginx.stop();
    fs.rmSync(dir, { recursive: true });
  }
});

describe('what is not from the catalog', () => {
  /** @type {{ status: number, headers?: Record<string, string>, body: string }} */
  let page;
  const proxy = http.createServer((_, response) => response.writeHead(page.status, page.headers).end(page.body));
  let url = '';
  beforeAll(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (proxy.address()).port}`;
  });
  afterAll(() => proxy.close().closeAllConnections());

  test.each([
    ['a page', '<html>Bad Gateway</html>', { status: 502, slug: null }],
    ['nothing', '', { status: 500, slug: null }],
    ['JSON of another service', '{"type":"about:blank","detail":"x"}', { status: 403, slug: null, instance: null }],
    ['a JSON string', '"no"', { status: 404, slug: null }],
    ['null', 'null', { status: 500, slug: null }],
    ['a number as its type', '{"type":1}', { status: 500, slug: null }],
    ['a login page with status 200', '<html>Log in</html>', { status: 200, detail: 'The reply is not JSON.' }],
  ])('%s is a CatalogProblem with its status', async (_, body, wanted) => {
    page = { status: wanted.status, body };
    const call = createCatalog({ url }).menu();
    await expect(call).rejects.toBeInstanceOf(CatalogProblem);
    await expect(call).rejects.toMatchObject(wanted);
  });

  test.each([
    ['7', 7],
    [new Date(Date.now() - 5000).toUTCString(), 0],
    ['soon', null],
  ])('Retry-After: %s is %s seconds', async (value, retryAfter) => {
    page = { status: 503, headers: { 'Retry-After': value }, body: '' };
    await expect(createCatalog({ url }).menu()).rejects.toMatchObject({ status: 503, retryAfter });
  });

  test('Retry-After as a date is the seconds until then', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    page = { status: 503, headers: { 'Retry-After': date }, body: '' };
    const problem = await createCatalog({ url })
      .menu()
      .catch((error) => error);
    expect(problem.retryAfter % 1).toBe(0);
    expect(problem.retryAfter).toBeGreaterThan(0);
    expect(problem.retryAfter).toBeLessThanOrEqual(3600);
  });

  test('a request without a reply rejects with the error of fetch', async () => {
    const catalog = createCatalog({ url: `http://127.0.0.1:${await freePort()}` });
    await expect(catalog.menu()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } });
    await expect(catalog.exportAll().next()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});
