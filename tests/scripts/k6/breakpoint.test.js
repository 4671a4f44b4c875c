'use strict';
const { searchAll } = require('../../../scripts/k6/breakpoint');

/**
 * Searches the capacity of a service without k6.
 * @param {Record<string, number>} capacity by route
 */
function search(capacity) {
  const probe = async (/** @type {Record<string, string>} */ { ROUTES: route, RATE }) => {
    const missed = Number(RATE) > capacity[route] ? ['http_req_duration p(99)<=10'] : [];
    const load = { cpu: { k6: 0.5, 'worker 1': 1 }, busy: 1.95 };
    const row = { scenario: '', route, rate: Number(RATE), budgetMs: 10, requests: 4000, p99Ms: 25, missed, load };
    return { catalog: { rows: 10, known: 10 }, rows: [row] };
  };
  const options = { routes: Object.keys(capacity) };
  return searchAll(/** @type {any} */ ({ options, probe, say: () => {}, cores: 2 }));
}

test('reports what each route sustains, and why the rate above it broke and who used the machine', async () => {
  const { found, rows } = await search({ products: 700, mix: 1500 });
  expect(found?.map(({ route }) => route)).toEqual(['products', 'mix']);
  for (const { held, broke, reason } of found ?? []) {
    expect(Number(broke)).toBeGreaterThan(Number(held));
    const use = 'cores in use: k6 0.50, worker 1 1.00, all of this machine 1.95';
    const limit = 'the generator is the limit: its machine was busy (1.95 cores in use)';
    expect(reason).toBe(`${broke}/s: p99 25.0 ms, allowed 10 ms (${use}); ${limit}`);
  }
  expect(rows.length).toBeGreaterThan(10);
});
