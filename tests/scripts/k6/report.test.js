'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { questionOf, tests } = require('../../../scripts/k6/options');
const { limitsOf, markdown, reasonsOf, writeRun } = require('../../../scripts/k6/report');
const { part, row, run } = require('../../helpers/k6-run');

const slow = ['http_req_duration p(99)<=10, but 23.4'];

describe('the verdict', () => {
  test('names what a step and the whole run missed', () => {
    const rows = [row({ missed: slow }), row({ rate: undefined, route: 'styles', missed: ['errors rate==0, but 1'] })];
    const reasons = reasonsOf(run({ parts: [part({ met: false, rows, missed: ['ended_workers count==0, but 1'] })] }));
    expect(reasons).toEqual([
      'ended_workers count==0, but 1',
      'product-100: http_req_duration p(99)<=10, but 23.4',
      'product-100 styles: errors rate==0, but 1',
    ]);
    expect(reasonsOf(run())).toEqual([]);
  });

  test('is never better than the one of k6, or than a whole run', () => {
    expect(reasonsOf(run({ parts: [part(), part({ met: false })] }))).toHaveLength(1);
    expect(reasonsOf(run({ interrupted: true }))).toEqual(['the run was interrupted']);
  });

  test('of a rising rate fails only if the first rate did not double', () => {
    const rising = (/** @type {number} */ rate) =>
      run({ test: 'breakpoint', parts: [part({ met: false, rows: [row({ rate, risesFrom: 200, missed: slow })] })] });
    expect(reasonsOf(rising(400))).toEqual([]);
    expect(markdown(rising(400))).toMatch(/# breakpoint: met[^]*- product: breaks at 400 requests a second; http_req/);
    expect(reasonsOf(rising(399))).toEqual([expect.stringMatching(/^product: breaks at 399 requests/)]);
    const held = run({ parts: [part({ rows: [row({ rate: 64_000, risesFrom: 200 })] })] });
    expect(markdown(held)).toContain('- product: holds 64,000 requests a second\n');
  });
});

test.each([
  [
    { dropped: 7, missed: ['dropped_iterations count==0, but 7'] },
    1,
    [/k6 dropped 7 requests while replies were fast/],
  ],
  [{ dropped: 7, missed: slow, p99Ms: 900 }, 1, []], // users waited for a slow service
  [{ lateMs: 23 }, 1, [/product-100: k6 sent requests late/]],
  [{ missed: slow }, 1.85, [/k6's machine was busy \(1.85 of 2 cores, k6 0.50\)/]],
  [{ missed: slow }, 1.2, []],
  [{}, 2, []], // it held nevertheless
  [{ missed: ['errors rate==0, but 1'], errors: 9 }, 2, []],
])('for %j with %d busy cores the generator is the limit: %j', (figures, all, limits) => {
  const found = limitsOf(part({ rows: [row(figures)], cpu: { k6: 0.5, all } }), 2);
  expect(found).toEqual(limits.map((limit) => expect.stringMatching(limit)));
});

test('the report has the figures of each row, and says how many errors are at least', () => {
  const errors = { errors: 12, requests: 2000, compared: 300 };
  const parts = [
    part({
      rows: [
        row({ lateMs: 2.5 }),
        row({ scenario: 'product-1000', rate: 1000, missed: slow, ...errors }),
        row({ errors: 12 }),
      ],
    }),
  ];
  const lines = markdown(run({ parts }))
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1); // aligned for a terminal
  expect(lines.slice(2).map((line) => line.replace(/ +/g, ' '))).toEqual([
    '| product-100 | met | 100 | 3,000 | 100.0 | 1.00 | 3.00 | 4.00 | 20.0 | 0 | 0 | 2.50 |',
    '| product-1000 | missed | 1,000 | 2,000 | 100.0 | 1.00 | 3.00 | 4.00 | 20.0 | ≥ 12 | 0 | |',
    '| product-100 | met | 100 | 3,000 | 100.0 | 1.00 | 3.00 | 4.00 | 20.0 | 12 | 0 | |',
  ]);
});

test('the report says once for a mix what was compared, and keeps warnings and failures', () => {
  const whole = row({ scenario: 'mix-1', route: 'mix', requests: 500, compared: 200, outdated: 7 });
  const rows = [whole, row({ ...whole, rate: undefined, dropped: undefined, route: 'products' })];
  const text = markdown(
    run({ parts: [part({ rows, tiers: { nginx: 0.75, Redis: 0.25 }, failures: ['a failure'], notes: ['a leak'] })] }),
  );
  expect(text).toContain(`- compared: 200 of 500 bodies byte by byte with the database, the others by id and shape
- the data changed: 7 bodies that differ since then are no errors
- replies came from nginx 75 %, Redis 25 %
- a leak
- a failure
`);
});

test('a run of the same second is written beside the other one', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const folders = [1, 2].map(() => path.relative(folder, path.dirname(writeRun(run(), folder).file)));
  fs.rmSync(folder, { recursive: true });
  expect(folders).toEqual(['2026-01-02-030405-ladder', '2026-01-02-030405-ladder-2']);
});

test('every test opens with its question', () => {
  for (const name of Object.keys(tests)) expect(questionOf(name)).toMatch(/^[A-Z][^\n]+\?$/);
  const files = fs.readdirSync(path.join(__dirname, '../../../k6')).filter((file) => /^[a-z]+\.js$/.test(file));
  expect(Object.keys(tests).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort());
});
