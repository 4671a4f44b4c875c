'use strict';

const { CommitWait } = require('../../server/catalog/commit-wait');
const { afterMinCursor } = require('../../server/http/params/min-cursor');
const { Lists } = require('../../server/store/servers/lists');
const { startService } = require('../helpers/app');
const { stockedProducts } = require('../helpers/writes');
const { applyStock, logStock } = require('../helpers/stock');
const { serveWriter } = require('../helpers/writer');

const served = serveWriter(stockedProducts(30));
/** @type {Awaited<ReturnType<typeof startService>>} */
let worker;
beforeAll(async () => void (worker = await startService({ DATABASE_URL: served.catalog.dsn })));
afterAll(() => worker?.close());

/** @param {string} path @param {string | null} cursor */
async function get(path, cursor) {
  const response = await fetch(worker.url + path, { headers: cursor === null ? {} : { 'Catalog-Min-Cursor': cursor } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** @param {number} id @param {string} name @returns {Promise<string>} its commit */
async function rename(id, name) {
  const { status, headers, body } = await served.call('PATCH', `/products/${id}`, {
    name,
    related: [(id % 30) + 1, id],
    styles: { [id]: { name } },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return String(headers.get('catalog-cursor'));
}

/** A product's name as each route shows it. @type {[path: (id: number) => string, nameIn: (body: any, id: number) => string][]} */
const ROUTES = [
  [(id) => `/products/${id}`, (body) => body.name],
  [(id) => `/products/${id}/styles`, (body) => body.results[0].name],
  [(id) => `/products/${id}?include=offer`, (body) => body.name],
  [() => '/products?count=30', (body, id) => body[id - 1].name],
  [(id) => `/products?ids=${id}`, (body) => body[0].name],
];

test('a read with the cursor of a write has that write, on each route', async () => {
  for (const [path] of ROUTES) await get(path(1), null);
  for (let round = 1; round <= 15; round += 1) {
    const [id, name] = [1 + (round % 30), `round ${round}`];
    const cursor = await rename(id, name);
    const replies = await Promise.all(ROUTES.map(([path]) => get(path(id), round % 2 ? cursor : `${cursor}.0`)));
    expect(replies.map(({ status }) => status)).toEqual(ROUTES.map(() => 200));
    expect(replies.map(({ body }, index) => ROUTES[index][1](body, id))).toEqual(ROUTES.map(() => name));
    expect((await get(`/products/${id}/related`, cursor)).body).toEqual([(id % 30) + 1, id]);
  }
});

/** The styles of product 7 as each route shows them. @type {[path: string, stylesIn: (body: any) => any[]][]} */
const STOCKED = [
  ['/products/7/styles', ({ results }) => results],
  ['/products/7?include=styles', ({ styles }) => styles],
  ['/products?ids=7&include=features,styles', ([{ styles }]) => styles],
  ['/products?after=6&count=1&include=styles', ([{ styles }]) => styles],
  ['/products?page=7&count=1&include=styles', ([{ styles }]) => styles],
];

test('and of stock, also where it changes no card', async () => {
  for (const amount of [70, 71, 72]) {
    await logStock(served.catalog.client, [{ sku: 7, amount }]);
    const { seq } = await applyStock(served.catalog.client);
    const replies = await Promise.all(STOCKED.map(([path]) => get(path, `1.${seq}`)));
    const quantities = replies.map(({ body }, index) => STOCKED[index][1](body)[0].skus[7].quantity);
    expect(quantities).toEqual(STOCKED.map(() => amount));
  }
});

test('an export with a cursor has that write', async () => {
  const cursor = await rename(30, 'exported');
  const response = await fetch(`${worker.url}/export?view=product&after=29`, {
    headers: { 'Catalog-Min-Cursor': cursor },
  });
  expect(JSON.parse((await response.text()).split('\n')[0]).name).toBe('exported');
});

test.each([
  ['1.99999', 503, 'not-yet'],
  ['2.1', 503, 'not-yet'],
  ['0.1', 410, 'cursor-forked'],
  ['', 400, 'malformed-request'],
  ['head', 400, 'malformed-request'],
  ['1.-1', 400, 'malformed-request'],
])('the cursor "%s" is answered %i', async (cursor, status, slug) => {
  const { body, headers, ...reply } = await get('/products/1', cursor);
  expect([reply.status, body.type]).toEqual([status, `urn:catalog:problem:${slug}`]);
  expect(headers.get('retry-after')).toBe(status === 503 ? '1' : null);
});

test('pages of other origins may send the header', async () => {
  const response = await fetch(`${worker.url}/products/1`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'catalog-min-cursor',
    },
  });
  expect(response.headers.get('access-control-allow-headers')).toBe('catalog-min-cursor');
  expect(response.headers.get('access-control-expose-headers')).toContain('Catalog-Cursor');
});

test.each([
  ['/products/7', 'document'],
  ['/products/7?include=offer', 'list'],
  ['/products', 'list'],
  ['/skus/37', 'document'],
  ['/skus?ids=37&include=card', 'document'],
  ['/skusx', 'list'],
  ['/catalog/', 'search'],
])('%s waits until a %s has the commit', (url, shown) => {
  const commits = { until: jest.fn(async () => {}) };
  const request = /** @type {any} */ ({ url, headers: { 'catalog-min-cursor': '1.5' } });
  afterMinCursor(jest.fn(), commits)(request, /** @type {any} */ ({}), jest.fn());
  expect(commits.until).toHaveBeenCalledWith(expect.objectContaining({ era: 1, seq: 5 }), shown);
});

/** Reads of a worker that has read five commits. */
function commitWait(/** @type {string | null} */ current = '1-1') {
  const lists = new Lists();
  const state = { token: '1-1', era: 1, seq: 5, listedSeq: 5, countedSeq: 0, stockedSeq: 5 };
  lists.follow(state);
  const searches = {
    begun: jest.fn(async () => {}),
    hasSeen: (/** @type {string} */ _, /** @type {number} */ seq) => seq < 5,
    written: { seq: 4, isFull: false, bytes: 0, products: 0 },
  };
  const version = /** @type {any} */ ({ current, lists, position: { reached: current && state } });
  return { searches, commits: new CommitWait({ version, searches }) };
}

test('reads that wait are bounded, and searches are waited for', async () => {
  const { searches, commits } = commitWait();
  await commits.until({ era: 1, seq: 5 }, 'list');
  const waiting = Array.from({ length: 256 }, () => commits.until({ era: 1, seq: 5 }, 'search'));
  await expect(commits.until({ era: 1, seq: 6 }, 'document')).rejects.toThrow('256 reads are waiting');
  searches.hasSeen = () => true;
  await Promise.all(waiting);
  await expect(commits.until({ era: 1, seq: 6 }, 'document')).rejects.toThrow('does not have the commit');
});

test('a search that stays at a commit names the step that leads to later ones', async () => {
  const { searches, commits } = commitWait();
  searches.written.isFull = true;
  await commits.until({ era: 1, seq: 4 }, 'search');
  await expect(commits.until({ era: 1, seq: 5 }, 'search')).rejects.toMatchObject({
    status: 503,
    kind: { slug: 'not-yet' },
    message: expect.stringContaining('Load the catalog again, or search without the header.'),
  });
  await commits.until({ era: 1, seq: 5 }, 'list');
});

test('a first search is read before its commit is looked for', async () => {
  const { searches, commits } = commitWait();
  let hasBegun = false;
  searches.begun.mockImplementation(async () => void (hasBegun = true));
  searches.hasSeen = () => hasBegun;
  await commits.until({ era: 1, seq: 5 }, 'search');
  expect(searches.begun).toHaveBeenCalledWith('1-1');
});

test('a worker that knows no data yet reads none for a search that waits', async () => {
  const { searches, commits } = commitWait(null);
  await expect(commits.until({ era: 1, seq: 5 }, 'search')).rejects.toThrow('does not have the commit');
  expect(searches.begun).not.toHaveBeenCalled();
});
