'use strict';
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { findStack } = require('../../scripts/local/state');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { startLyingProxy } = require('../helpers/lying-proxy');
const { SHOP } = require('../helpers/shops');
const { unless } = require('../helpers/skip');
const { startStack } = require('../helpers/stack');

/** @typedef {import('../helpers/lying-proxy').Lie} Lie */

const found = provideK6();
const env = 'k6' in found ? { K6_BIN: found.k6 } : {};
const routes = ['products', 'product', 'styles', 'related'];
const elsewhere = '/nowhere'; // a state folder on which nothing runs

/** One of the first twelve products, other than `id`. */
const otherThan = (/** @type {number} */ id) => (id === 1 ? 12 : 1);

/** @type {Record<string, Lie>} bodies that contradict themselves */
const wrongSearches = {
  search: (body) => ({ ...body, total: body.total + 1, items: body.items.slice(1) }),
  suggest: (body) => ({ ...body, words: body.words.toReversed().concat({ value: 'x', count: 1 }) }),
  catalog: (body) => ({ ...body, products: body.products + 1 }),
  skus: (body) => body.toReversed(),
  export: (/** @type {string} */ text) => text.replace('{"end":', '{"id":'),
  feed: () => 'text/html',
  ucp: ({ product, products = [product], ...rest }) => ({ ...rest, products: [...products, {}] }),
  mcp: ({ result, ...rest }) => ({ ...rest, result: { ...result, content: [] } }),
};

/** @type {Record<string, Record<string, Lie>>} bodies of correct shape, by what is wrong with them */
const kinds = {
  "another product's": {
    products: (body, { url }, ask) =>
      ask(`/products?page=${url.searchParams.get('page') === '2' ? 3 : 2}&count=${body.length}`),
    product: async (body, { id }, ask) => ({ ...body, name: (await ask(`/products/${otherThan(id)}`)).name }),
    styles: async (body, { id }, ask) => ({ ...(await ask(`/products/${otherThan(id)}/styles`)), product_id: `${id}` }),
    related: (body, { id }, ask) => ask(`/products/${otherThan(id)}/related`),
  },
  'disordered or old': {
    products: (body) =>
      body.map((/** @type {any} */ row, /** @type {number} */ n) => ({ ...row, name: body.at(n - 1).name })),
    product: (body) => ({ ...body, updated_at: '2020-01-01T00:00:00.000Z' }),
    styles: (body) => ({ ...body, results: body.results.toReversed() }),
    related: (body) => body.toReversed(),
  },
  'cut short': {
    products: (body) => body.map((/** @type {any} */ row) => ({ ...row, description: row.description.slice(0, -1) })),
    product: (body) => ({ ...body, features: body.features.slice(1) }),
    styles: (body) => ({ ...body, results: body.results.slice(1) }),
    related: (body) => body.slice(1),
  },
};

unless('reason' in found && found.reason).describe('a whole stack', () => {
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  /** @type {Record<string, ReturnType<typeof smokeThrough>>} two at a time: they mostly wait */
  const smokes = {};
  beforeAll(async () => {
    stack = await startStack({ env: SHOP });
    // All ids of a list are wrong, since k6 asks for one of them.
    /** @type {Record<string, Lie>} */
    const lies = { product: kinds["another product's"].product, related: () => [999_999] };
    const [first, second, third] = Object.keys(kinds);
    const after = (/** @type {string} */ name) => smokes[name].catch(() => {});
    smokes[first] = smokeThrough(kinds[first]);
    smokes[second] = after(first).then(() => smokeThrough(kinds[second]));
    smokes[third] = after(second).then(() => smokeThrough(kinds[third]));
    smokes.honest = smokeThrough({}, elsewhere);
    smokes.lying = after('honest').then(() => smokeThrough(lies, elsewhere));
    smokes.searches = after('lying').then(() =>
      smokeThrough(wrongSearches, elsewhere, Object.keys(wrongSearches).join()),
    );
    // Alone: a worker that is late refuses requests, which is no fault of a route.
    const all = Promise.allSettled(Object.values(smokes));
    smokes.every = all.then(() => smokeThrough({}, stack.state, 'every'));
    await Promise.allSettled(Object.values(smokes));
  }, 180_000);
  afterAll(() => stack?.stop());

  /** @param {Record<string, Lie>} lies @param {string} [state] @param {string} [routes] */
  async function smokeThrough(lies, state = stack.state, routes = 'all') {
    const proxy = await startLyingProxy(stack.url, lies);
    const words = [
      'smoke',
      '--route',
      routes,
      '--rate',
      '20',
      '--duration',
      '2s',
      '--url',
      proxy.url,
      '--state',
      state,
    ];
    const dsn = findStack(state)?.loaderDsn;
    if (dsn) words.push('--database', dsn);
    const { status, output, folder } = await runK6(words, env);
    proxy.close();
    if (!folder) throw new Error(output);
    return {
      status,
      output,
      lied: proxy.lied,
      rows: Object.fromEntries(takeRun(folder).rows.map((row) => [row.route, row])),
    };
  }

  test('holds at each rate, and the report has the share of each cache tier', async () => {
    const words = ['ladder', '--route', 'list,styles', '--rates', '2,20', '--duration', '2s', '--budget', '5000'];
    const cold = ['--', '-e', 'WARM_UP_SECONDS=0'];
    const { status, output, folder } = await runK6([...words, '--state', stack.state, ...cold], env);
    expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
    const run = takeRun(folder);
    expect(run).toMatchObject({ ok: true, reasons: [], parts: [{ catalog: { rows: 500, known: 500 } }] });
    expect(run.rows.map(({ scenario }) => scenario)).toEqual(['products-2', 'products-20', 'styles-2', 'styles-20']);
    for (const { requests, rate = 0 } of run.rows) expect(requests).toBeGreaterThanOrEqual(2 * rate);
    const shares = Object.values(run.parts[0].tiers ?? {});
    expect(shares).toHaveLength(4);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  }, 60_000);

  test.each(Object.keys(kinds))('fails on each route behind a proxy whose bodies are %s', async (kind) => {
    const { status, output, rows, lied } = await smokes[kind];
    expect(status).toBe(1);
    expect(output).toMatch(/compared: ([\d,]+) of \1 bodies byte by byte with the database\n/);
    for (const route of routes) {
      const { errors, missed } = rows[route];
      expect({ route, missed }).toEqual({
        route,
        missed: expect.arrayContaining([expect.stringMatching(/^errors rate==0, but /)]),
      });
      // Each lie and nothing else: a product with a single style, or without features or related ids, has nothing to change.
      expect({ route, errors }).toEqual({ route, errors: lied[route] });
    }
  });

  test('drives every route, and finds what is wrong on those beyond the Atelier API', async () => {
    const { rows: every, output } = await smokes.every;
    expect(Object.keys(every)).toHaveLength(16);
    for (const { route, requests, errors } of Object.values(every)) {
      const shown = errors && output; // names the first bodies that are wrong
      expect({ route, asked: requests > 0, errors, output: shown }).toEqual({
        route,
        asked: true,
        errors: 0,
        output: 0,
      });
    }
    for (const { errors } of Object.values((await smokes.searches).rows)) expect(errors).toBeGreaterThan(0);
  });

  test('compares with other routes without a database, and the report says what that leaves out', async () => {
    const { status, output, rows } = await smokes.lying;
    expect(status).toBe(1);
    expect(output).toMatch(
      /compared: \d+ of \d+ bodies with another route, .*; no other route has styles: name the database/,
    );
    for (const route of ['products', 'product', 'related']) expect(rows[route].errors).toBeGreaterThan(0);
    expect(output).toMatch(/^\| product-20 .* ≥ \d+ \|/m);
    expect(rows.styles).toMatchObject({ errors: 0, compared: 0 });
    const honest = await smokes.honest;
    for (const route of routes) expect(honest.rows[route].errors).toBe(0);
    expect(honest.rows.product.compared).toBeGreaterThan(0);
  });

  test('changes prices and quantities beside reads without counting their bodies as wrong', async () => {
    const words = ['create', 'k6', '--scopes', 'content,stock', '--state', stack.state];
    const key = execFileSync(process.execPath, [path.join(root, 'scripts/key.js'), ...words], { encoding: 'utf8' });
    const writer = { WRITER_URL: `http://127.0.0.1:${stack.ports['write-port']}`, WRITER_KEY: key.trim() };
    const test = ['writes', '--rate', '50', '--duration', '3s', '--budget', '5000', '--state', stack.state];
    const { status, output, folder } = await runK6(test, { ...env, ...writer });
    expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
    const { rows } = takeRun(folder);
    const counts = rows.filter(({ rate }) => rate).map(({ route, errors, requests }) => [route, errors, requests > 0]);
    expect(counts).toEqual(['mix', 'patch', 'stock'].map((route) => [route, 0, true]));
    expect(output).toMatch(/the data changed: \d+ bod/);
    const refused = await runK6(test, { ...env, WRITER_URL: writer.WRITER_URL });
    expect([refused.status, refused.output]).toEqual([2, expect.stringContaining('set WRITER_KEY: npm run key')]);
  }, 90_000);
});
