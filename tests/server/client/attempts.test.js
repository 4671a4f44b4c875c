'use strict';

const { once } = require('node:events');
const http = require('node:http');

const { createCatalog } = require('../../helpers/client');

/** @typedef {import('../../../server/client/catalog.js').Options} Options */
/** @typedef {{ status?: number, headers?: Record<string, string>, body?: unknown } | Error} Step of a scripted service */

const busy = (/** @type {string} */ seconds) => ({ status: 503, headers: { 'Retry-After': seconds }, body: '' });

/** A client of a service that replies by a script, then with `{}`. @param {Step[]} script @param {Options} [options] */
function scripted(script, options) {
  /** @type {any[]} */
  const sent = [];
  const catalog = createCatalog({
    async fetch(url, init) {
      sent.push({ url, ...init });
      const step = script.shift() ?? {};
      if (step instanceof Error) throw step;
      return new Response(JSON.stringify(step.body ?? {}), step);
    },
    ...options,
  });
  return { catalog, sent };
}

describe('headers', () => {
  test('go with each request, from an object or pairs', async () => {
    for (const headers of [{ 'X-Shop': 'a' }, new Headers({ 'X-Shop': 'a' })]) {
      const { catalog, sent } = scripted([], { headers });
      await catalog.menu();
      await catalog.items([1]);
      expect(sent.map((each) => each.headers)).toEqual([{ 'x-shop': 'a' }, { 'x-shop': 'a' }]);
    }
  });

  test('come from a function for each attempt', async () => {
    let token = 0;
    const headers = async () => ({ Authorization: `Bearer ${(token += 1)}` });
    const { catalog, sent } = scripted([busy('0')], { headers, retry: 1 });
    await catalog.menu();
    expect(sent.map((each) => each.headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
  });

  test('that cannot be made fail the call, and nothing is sent', async () => {
    const headers = () => Promise.reject(new Error('no token'));
    const { catalog, sent } = scripted([], { headers, retry: 3 });
    await expect(catalog.menu()).rejects.toThrow('no token');
    expect(sent).toEqual([]);
  });
});

describe('cache and next reach fetch', () => {
  test('of the client and of a call, which wins', async () => {
    const next = { revalidate: 60, tags: ['product-8'] };
    const { catalog, sent } = scripted([], { cache: 'no-store' });
    await catalog.product(8, { include: ['offer'], cache: 'force-cache', next });
    await catalog.search({ q: 'x' });
    expect(sent).toMatchObject([
      { url: '/products/8?include=offer', cache: 'force-cache', next },
      { url: '/search?q=x', cache: 'no-store' },
    ]);
    expect(sent[1]).not.toHaveProperty('next');
  });

  test('of items that share a request only with calls that pass the same', async () => {
    const { catalog, sent } = scripted([{ body: [null] }, { body: [null, null] }]);
    const [cached, fresh] = [{ cache: /** @type {const} */ ('force-cache') }, {}];
    await Promise.all([catalog.items([1], cached), catalog.items([2], fresh), catalog.items([3], fresh)]);
    expect(sent.map(({ url, cache }) => [url, cache])).toEqual([
      ['/products?ids=1', 'force-cache'],
      ['/products?ids=2,3', undefined],
    ]);
  });
});

describe('retry', () => {
  const lost = new TypeError('fetch failed');

  test('is off unless it is asked for', async () => {
    const { catalog, sent } = scripted([busy('0')]);
    await expect(catalog.menu()).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });

  test('repeats what got no reply or one that passes, and then gives up with the last failure', async () => {
    const { catalog, sent } = scripted([lost, busy('0'), { body: { products: 5 } }], { retry: 2 });
    expect(await catalog.menu()).toEqual({ products: 5 });
    expect(sent).toHaveLength(3);
    const failing = scripted([lost, busy('0'), busy('0')], { retry: 1 });
    await expect(failing.catalog.menu()).rejects.toMatchObject({ status: 503 });
    expect(failing.sent).toHaveLength(2);
  });

  test.each([
    ['a wrong request', { status: 400, body: { type: 'urn:catalog:problem:malformed-parameter' } }],
    ['a catalog without search', { status: 503, body: { type: 'urn:catalog:problem:without-search' } }],
    ['a page of a proxy instead of JSON', { status: 200, body: undefined, headers: {} }],
    ['a reply that asks for more than 30 s', busy('31')],
  ])('repeats not %s', async (_, step) => {
    const { catalog, sent } = scripted([], {
      retry: 3,
      fetch: async (url) => (sent.push(url), new Response(JSON.stringify(step.body), step)),
    });
    await expect(catalog.menu()).rejects.toMatchObject({ name: 'CatalogProblem', status: step.status });
    expect(sent).toHaveLength(1);
  });

  test('ends when the caller leaves while it waits', async () => {
    const leaving = new AbortController();
    const { catalog, sent } = scripted([busy('20')], { retry: 3, onResponse: () => void setImmediate(leave) });
    const leave = () => leaving.abort();
    await expect(catalog.menu({ signal: leaving.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(sent).toHaveLength(1);
  });
});

describe('onRequest and onResponse', () => {
  test('see each attempt and its reply', async () => {
    /** @type {unknown[]} */
    const seen = [];
    const { catalog } = scripted([busy('0')], {
      headers: { 'x-shop': 'a' },
      retry: 1,
      onRequest: (request) => seen.push(request),
      onResponse: async ({ status }, { attempt }) => seen.push([status, attempt]),
    });
    await catalog.styles(8);
    const request = { method: 'GET', url: '/products/8/styles', headers: { 'x-shop': 'a' } };
    expect(seen).toEqual([{ ...request, attempt: 1 }, [503, 1], { ...request, attempt: 2 }, [200, 2]]);
  });
});

describe('timeout', () => {
  /** @type {http.RequestListener} */
  let answer;
  const server = http.createServer((req, res) => answer(req, res));
  let url = '';
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const late = {
    name: 'TimeoutError',
    message: expect.stringContaining('sent nothing for 100 ms. The option timeout'),
  };

  test.each([
    ['no reply', () => {}],
    ['half a reply', (/** @type {any} */ _, /** @type {http.ServerResponse} */ res) => res.write('{"products":')],
  ])('ends a call that gets %s, and its connection', async (_, listener) => {
    const closed = new Promise((resolve) => {
      answer = (req, res) => (req.socket.once('close', resolve), listener(req, res));
    });
    await expect(createCatalog({ url, timeout: 100 }).menu()).rejects.toMatchObject(late);
    await closed;
  });

  test('of a stream is its silence, after which an export resumes', async () => {
    const end = { count: 1, last: 2, catalog_version: '1', changed: false };
    /** @type {string[]} */
    const asked = [];
    answer = (req, res) => {
      asked.push(String(req.url));
      if (asked.length === 1) res.write('{"id":1}\n');
      else res.end(`{"id":2}\n${JSON.stringify({ end })}\n`);
    };
    const ids = [];
    for await (const { id } of createCatalog({ url, timeout: 100 }).exportAll({ view: 'id' })) ids.push(id);
    expect(ids).toEqual([1, 2]);
    expect(asked).toEqual(['/export?view=id', '/export?view=id&after=1']);
  });

  test('does not end a stream that a slow consumer reads', async () => {
    const end = { count: 2, last: 2, catalog_version: '1', changed: false };
    answer = (_, res) => res.end(`{"id":1}\n{"id":2}\n${JSON.stringify({ end })}\n`);
    const lines = createCatalog({ url, timeout: 50 }).exportAll({ view: 'id' });
    await lines.next();
    await new Promise((resolve) => void setTimeout(resolve, 150));
    expect([await lines.next(), (await lines.next()).done]).toEqual([{ done: false, value: { id: 2 } }, true]);
  });

  test.each([null, 0, Infinity])('%p is no limit', async (timeout) => {
    answer = (_, res) => res.end('{}');
    expect(await createCatalog({ url, timeout }).menu()).toEqual({});
  });
});

test.each([
  [{ timeout: -1 }, /^timeout must be milliseconds up to/],
  [{ timeout: 2 ** 31 }, /^timeout must be/],
  [{ timeout: '5' }, /^timeout must be/],
  [{ retry: 1.5 }, /^retry must be how often/],
  [{ retry: -1 }, /^retry must be/],
])('%j is a TypeError', (options, message) => {
  expect(() => createCatalog(/** @type {any} */ (options))).toThrow(message);
});
