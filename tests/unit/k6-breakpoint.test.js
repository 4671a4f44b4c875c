'use strict';
const fs = require('node:fs');
const { searchAll } = require('../../scripts/k6/breakpoint');

/**
 * A service that holds up to a rate, asked without k6.
 * @param {Record<string, number>} capacity by route
 */
async function search(capacity) {
  /** @type {Record<string, string>[]} */
  const asked = [];
  /** @type {import('../../scripts/k6/charts').Recording} */
  const recording = { windows: [], server: [] };
  const catalog = { rows: 10, known: 10 };
  const found = await searchAll(
    /** @type {any} */ ({
      options: { routes: Object.keys(capacity) },
      recording,
      say: () => {},
      probe: async (/** @type {Record<string, string>} */ env) => {
        const file = env.CATALOG;
        if (file) expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(catalog);
        asked.push(env);
        const t = asked.length * 100;
        recording.windows.push(/** @type {any} */ ({ t }), /** @type {any} */ ({ t: t + 1 }));
        recording.server.push(
          { t: t - 3, groups: { cpu: { k6: 1.5, 'worker 1': 0 } } }, // k6 makes its users
          { t: t + 1.2, groups: { cpu: { k6: 0.5, 'worker 1': 1 } } },
          { t: t + 1.9, groups: { cpu: { 'worker 1': 1 } } },
          { t: t + 5, groups: { cpu: { k6: 0, 'worker 1': 0 } } }, // it has ended
        );
        const missed = Number(env.RATE) > capacity[env.ROUTES] ? ['http_req_duration p(99)<=10'] : [];
        const row = { scenario: '', route: env.ROUTES, rate: Number(env.RATE), budgetMs: 10 };
        return { catalog, rows: [{ ...row, p99Ms: 25, missed }] };
      },
    }),
  );
  return { ...found, asked };
}

test('tells for each route what it sustains, and of the rate above why not and who used the machine', async () => {
  const { found } = await search({ list: 700, mix: 1500 });
  expect(found?.map(({ route }) => route)).toEqual(['list', 'mix']);
  for (const { held, broke, reason } of found ?? []) {
    expect(Number(broke)).toBeGreaterThan(Number(held));
    expect(reason).toBe(`${broke}/s: p99 25.0 ms, allowed 10 ms (cores in use: k6 0.50, worker 1 1.00)`);
  }
});

test('reads the ids once, and leaves no file of them behind', async () => {
  const { asked, rows } = await search({ list: 700 });
  expect(asked[0].CATALOG).toBeUndefined();
  expect(asked.slice(1).every(({ CATALOG }) => CATALOG === asked[1].CATALOG)).toBe(true);
  expect(fs.existsSync(asked[1].CATALOG)).toBe(false);
  expect(rows).toHaveLength(asked.length);
});
