'use strict';
const { withClient } = require('../../scripts/lib/roles');
const { findStack } = require('../../scripts/lib/state');
const { provideK6, runK6, takeRun } = require('../helpers/k6');
const { startLyingProxy } = require('../helpers/lying-proxy');
const { unless } = require('../helpers/skip');
const { startStack } = require('../helpers/stack');

/** @typedef {import('../helpers/lying-proxy').Lie} Lie */

const found = provideK6();
const env = 'k6' in found ? { K6_BIN: found.k6 } : {};
const routes = ['list', 'product', 'styles', 'related'];
const elsewhere = '/nowhere'; // a state folder on which nothing runs

/** A product of the twelve that show every edge, other than `id`. */
const otherThan = (/** @type {number} */ id) => (id === 1 ? 12 : 1);

/** @type {Record<string, Record<string, Lie>>} lies of right shape, by what is done */
const kinds = {
  "another product's": {
    list: (body, { url }, ask) =>
      ask(`/products?page=${url.searchParams.get('page') === '2' ? 3 : 2}&count=${body.length}`),
    product: async (body, { id }, ask) => ({ ...body, name: (await ask(`/products/${otherThan(id)}`)).name }),
    styles: async (body, { id }, ask) => ({ ...(await ask(`/products/${otherThan(id)}/styles`)), product_id: `${id}` }),
    related: (body, { id }, ask) => ask(`/products/${otherThan(id)}/related`),
  },
  'disordered or old': {
    list: (body) =>
      body.map((/** @type {any} */ row, /** @type {number} */ n) => ({ ...row, name: body.at(n - 1).name })),
    product: (body) => ({ ...body, updated_at: '2020-01-01T00:00:00.000Z' }),
    styles: (body) => ({ ...body, results: body.results.toReversed() }),
    related: (body) => body.toReversed(),
  },
  'cut short': {
    list: (body) => body.map((/** @type {any} */ row) => ({ ...row, description: row.description.slice(0, -1) })),
    product: (body) => ({ ...body, features: body.features.slice(1) }),
    styles: (body) => ({ ...body, results: body.results.slice(1) }),
    related: (body) => body.slice(1),
  },
};

unless('reason' in found && found.reason).describe('what a correct body is', () => {
  /** @type {import('../helpers/stack').Stack} */
  let stack;
  beforeAll(async () => {
    stack = await startStack();
  }, 120_000);
  afterAll(() => stack?.stop());

  /** @param {Record<string, Lie>} lies @param {string} [state] */
  async function smokeThrough(lies, state = stack.state) {
    const proxy = await startLyingProxy(stack.url, lies);
    const words = ['smoke', '--rate', '20', '--duration', '3s', '--url', proxy.url, '--state', state];
    const { status, output, folder } = await runK6(words, env);
    proxy.close();
    if (!folder) throw new Error(output);
    return { status, output, rows: Object.fromEntries(takeRun(folder).rows.map((row) => [row.route, row])) };
  }

  test.each(Object.keys(kinds))(
    'is one of the database: a proxy whose replies are %s fails on each route',
    async (kind) => {
      const { status, output, rows } = await smokeThrough(kinds[kind]);
      expect(status).toBe(1);
      expect(output).toMatch(/checked: (\d+) of \1 bodies byte by byte against the database\n/);
      for (const route of routes) {
        const { errors, requests, missed } = rows[route];
        expect({ route, missed }).toEqual({ route, missed: expect.arrayContaining(['errors rate==0']) });
        // The others have nothing to lie about: a single style, no features, no related ids.
        expect(errors / requests).toBeGreaterThan(0.4);
      }
    },
    120_000,
  );

  test('is one with which other routes agree, where there is no database, and the report says what that leaves out', async () => {
    /** @type {Record<string, Lie>} */
    const lies = { product: kinds["another product's"].product, related: (body) => [...body, 999_999] };
    const { status, output, rows } = await smokeThrough(lies, elsewhere);
    expect(status).toBe(1);
    expect(output).toMatch(
      /checked: \d+ of \d+ bodies against another route, .*; styles have no other source; name the/,
    );
    for (const route of ['list', 'product', 'related']) expect(rows[route].errors).toBeGreaterThan(0);
    expect(output).toMatch(/product-20: .*at least \d+ of \d+ replies failed or were wrong/);
    expect(rows.styles).toMatchObject({ errors: 0, compared: 0 });
    const honest = await smokeThrough({}, elsewhere);
    for (const route of routes) expect(honest.rows[route].errors).toBe(0);
    expect(honest.rows.product.compared).toBeGreaterThan(0);
  }, 120_000);

  test('may be of other data after a load was served, which is not wrong and is told', async () => {
    const dsn = String(findStack(stack.state)?.loaderDsn);
    const change = `BEGIN;
      UPDATE catalog.product_documents SET related = '[1]', head = replace(head, '"campus":"', '"campus":"new-');
      SELECT catalog_meta.bump_version(); COMMIT`;
    /** @type {Promise<void> | undefined} */
    let changed;
    const onOutput = (/** @type {string} */ text) => {
      if (/^mix-20 /m.test(text)) changed ??= withClient(dsn, async (client) => void (await client.query(change)));
    };
    const words = ['mix', '--rate', '20', '--duration', '12s', '--budget', '5000', '--state', stack.state];
    const { folder, output } = await runK6(words, env, onOutput);
    await changed;
    if (!folder) throw new Error(output);
    const run = takeRun(folder);
    expect(run.content).toEqual({ source: 'database', changedAt: expect.stringMatching(/Z$/) });
    expect(run.rows[0]).toMatchObject({ route: 'mix', errors: 0, missed: [] });
    expect(run.rows[0].outdated).toBeGreaterThan(0);
    const part = (/** @type {string} */ route) => run.rows.slice(1).find((row) => row.route === route);
    expect(part('styles')?.outdated).toBeUndefined(); // a load that changed nothing of them
    expect(output).toMatch(
      /other data was served from [\d:]+ UTC on: \d+ bodies that differ since then do not count as/,
    );
  }, 120_000);
});
