'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { cacheKeys } = require('../../nginx/cache-key');
const { renderNginx } = require('../../nginx/render');
const { KEYED_BY_URL, QUERY_PARAMETERS, UNCACHED_PARAMETERS, UNCACHED_ROUTES } = require('../../server/core/policy');
const { until } = require('../helpers/app');
const { request } = require('../helpers/http');
const { runNginx } = require('../helpers/nginx');
const { freePort } = require('../helpers/servers');

/** nginx caches a reply from its eighth request on; it may expire between two requests. */
const rounds = 12;

/** @typedef {Record<string, readonly string[]>} Routes */

/** Today's routes, a new one, and a parameter on one that has none yet. @type {Routes} */
const extended = {
  ...QUERY_PARAMETERS,
  '/reviews': ['q', 'page', 'color'],
  '/products/:product_id/styles': ['q', 'size'],
};

describe.each(
  /** @type {[string, Routes][]} */ ([
    ['the routes of today', QUERY_PARAMETERS],
    ['a new route and a new parameter', extended],
  ]),
)('nginx with %s, before a worker that returns the request target', (_, routes) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'cache-key-'));
  const worker = http.createServer((req, response) =>
    response.end(`${req.url}${req.headers['catalog-min-cursor'] ?? ''}`),
  );
  /** @type {Awaited<ReturnType<typeof runNginx>>} */
  let nginx;
  let url = '';

  beforeAll(async () => {
    const port = await freePort(2);
    await new Promise((resolve) => void worker.listen(port + 1, '127.0.0.1', () => resolve(null)));
    const workers = [`127.0.0.1:${port + 1}`];
    nginx = await runNginx(dir, renderNginx({ port, workers, work: dir, logs: dir, openFiles: 4096 }, routes));
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    worker.closeAllConnections();
    worker.close();
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {string} target @returns {Promise<Set<string>>} the bodies that it got */
  async function answersTo(target) {
    const bodies = new Set();
    for (let round = 0; round < rounds; round += 1) bodies.add((await request(url, { path: target })).body);
    return bodies;
  }

  /** One target gets the reply of another; on a busy machine that may have expired by then. @param {string} target @param {string} other */
  const getsReplyOf = (target, other) =>
    until(async () => {
      await answersTo(other);
      return (await answersTo(target)).has(other);
    });

  const isKept = (/** @type {string} */ route) => ![...UNCACHED_ROUTES, ...KEYED_BY_URL].some((each) => each === route);
  const kept = Object.fromEntries(Object.entries(routes).filter(([route]) => isKept(route)));
  const cases = Object.entries(kept).flatMap(([route, names]) =>
    names.map((name) => [route.replace(/:\w+/g, '7'), name]),
  );

  test.each(cases)('%s?%s=… never gets the reply of another value', async (target, name) => {
    for (const value of ['1', '2', 'red+shoes', 'a|1', '']) {
      const asked = `${target}?${name}=${value}`;
      expect(await answersTo(asked)).toEqual(new Set([asked]));
    }
    expect(await answersTo(target)).toEqual(new Set([target]));
  });

  test('a reader of its own write gets no reply from the cache, and leaves none there', async () => {
    const [path, headers] = ['/products', { 'Catalog-Min-Cursor': '1.7' }];
    await answersTo(path);
    for (let round = 0; round < rounds; round += 1)
      expect((await request(url, { path, headers })).body).toBe(`${path}1.7`);
    expect(await answersTo(path)).toEqual(new Set([path]));
  });

  test.each(cases)('%s: %s repeated or encoded has its own reply', async (target, name) => {
    const [first, ...rest] = name;
    const encoded = `%${first.charCodeAt(0).toString(16)}${rest.join('')}`;
    await answersTo(`${target}?${name}=1`);
    for (const query of [`${name}=1&${name}=2`, `${encoded}=2`, `x=1&${encoded}=3&${name}=1`]) {
      const asked = `${target}?${query}`;
      expect(await answersTo(asked)).toEqual(new Set([asked]));
    }
  });

  test.each(Object.keys(kept).map((route) => route.replace(/:\w+/g, '8')))(
    '%s: the key ignores a parameter that is not in the list',
    async (target) => {
      await getsReplyOf(`${target}?stray=2`, `${target}?stray=1`);
    },
  );

  describe.each(KEYED_BY_URL)('%s, which is kept under its URL,', (target) => {
    test.each([
      ['', ['?gclid=1', '?', '?&', '?utm_a=1&fbclid=2&srsltid']],
      ['?q=x', ['?q=x&gclid=1', '?gbraid=%zz&q=x', '?_=1&q=x&_ga=2', '?&q=x&', '?q=x&_gl', '?mc_cid=a%26b&q=x']],
      ['?a&b&c', ['?clid&a&mkt_tok=1&b&gad_source=1&_hsmi&c&igshid=1&wbraid=2&li_fat_id=3']],
    ])('has one reply for %j and for what only trackers add', async (query, others) => {
      for (const other of others) await getsReplyOf(target + other, target + query);
    });

    test.each([
      '?q=gclid',
      '?q=1&q=2',
      '?feature.gclid=1',
      '?feature.gclid=2',
      '?field.gclid=1',
      '?field.weight_g=1..2',
      '?field.weight_g=..2',
      '?feature%2Egclid=1',
      '?feature.a%2clid=1',
      '?x%2clid=1',
      '?clidx=1',
      '?utm=1',
      '?x_=1',
      '?__=1',
      '?xgbraid=1',
      '?UTM_SOURCE=1',
      '?%67clid=1',
      '?q%3D&gclid',
      '?a&_&b&_&c&_&d&_&e',
      `?${'q&'.repeat(3000)}_=1`,
    ])('has an own reply for %j', async (query) => {
      for (const near of ['', '?q=x', '?feature.=1']) await answersTo(target + near);
      expect(await answersTo(target + query)).toEqual(new Set([target + query]));
    });
  });

  test('every parameter was requested often enough to be cached', async () => {
    const file = path.join(dir, 'nginx-access.log');
    const hits = () =>
      new Set([...fs.readFileSync(file, 'utf8').matchAll(/"uri":"([^"]*)".*"cache":"HIT"/g)].map(([, uri]) => uri));
    const isCached = (/** @type {string} */ name) => !UNCACHED_PARAMETERS.some((each) => each === name);
    const wanted = cases.filter(([, name]) => isCached(name)).map(([target, name]) => `${target}?${name}=1`);
    // nginx writes its log once a second. What expired between two requests is requested again.
    await until(async () => {
      const missing = wanted.filter((uri) => !hits().has(uri));
      for (const uri of missing) await answersTo(uri);
      return missing.length === 0;
    });
    expect([...hits()].filter((uri) => uri.includes('?ids='))).toEqual([]);
  });
});

test('two parameters never make the same key as two others', () => {
  const { lines } = cacheKeys({ '/search': ['q', 'color'] });
  expect(lines).toContain('    default "$raw_path?$q_pair&$color_pair";'); // no value has an "&"
});

test('refuses a parameter name that nginx would not find in a query', () => {
  expect(() => cacheKeys({ '/search': ['page_size'] })).toThrow('"page_size" must be lower-case letters only');
});
