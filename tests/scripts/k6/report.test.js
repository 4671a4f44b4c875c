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

describe('the report', () => {
  test('aligns its columns for a terminal', () => {
    const rows = [row({ lateMs: 2.5 }), row({ scenario: 'product-1000', rate: 1000, missed: slow })];
    const lines = markdown(run({ parts: [part({ rows })] }))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
    expect(lines[2].replace(/ +/g, ' ')).toBe(
      '| product-100 | met | 100 | 3,000 | 100.0 | 1.00 | 3.00 | 4.00 | 20.0 | 0 | 0 | 2.50 |',
    );
  });

  test.each([
    [{ errors: 12, requests: 2000, compared: 300 }, / ≥ 12 \|/],
    [{ errors: 12, requests: 2000, compared: 2000 }, /\| +12 \|/],
    [{ errors: 2000, requests: 2000, compared: 300 }, /\| +2,000 \|/],
  ])('gives the errors of %j as a minimum if not all bodies were compared', (figures, cell) => {
    expect(markdown(run({ parts: [part({ rows: [row(figures)] })] }))).toMatch(cell);
  });

  test('says how many bodies were compared with what, once for a mix', () => {
    const whole = row({ scenario: 'mix-1', route: 'mix', requests: 500, compared: 200, outdated: 7 });
    const parts = [part({ rows: [whole, row({ ...whole, rate: undefined, dropped: undefined, route: 'products' })] })];
    expect(markdown(run({ parts }))).toMatch(
      /compared: 200 of 500 bodies byte by byte with the database, the others by id and shape\n- the data changed: 7 bodies/,
    );
    expect(markdown(run({ parts, source: 'routes' }))).toContain('compared: 200 of 500 bodies with another route, the');
  });

  test('has the share of each cache tier, warnings and the first failures', () => {
    const tiers = { nginx: 0.5, memory: 0.25, Redis: 0.15, PostgreSQL: 0.1 };
    const failures = ['product-100: route=styles id=7 check="status is 200" answer="503" X-Request-Id=ab'];
    const notes = ['worker 1: memory 100 → 190 MB, a leak'];
    const text = markdown(run({ parts: [part({ tiers, failures, notes })] }));
    expect(text).toContain('- replies came from nginx 50 %, memory 25 %, Redis 15 %, PostgreSQL 10 %\n');
    expect(text).toContain(`- ${notes[0]}\n- ${failures[0]}\n`);
  });

  test('is written for people and programs, beside another one of the same second', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
    try {
      const { file, text } = writeRun(run(), folder);
      expect(path.relative(folder, file)).toBe('2026-01-02-030405-ladder/summary.md');
      expect(fs.readFileSync(file, 'utf8')).toBe(text);
      const facts = JSON.parse(fs.readFileSync(path.join(file, '../summary.json'), 'utf8'));
      expect(facts).toMatchObject({ ok: true, reasons: [], rows: [row()], test: 'ladder' });
      expect(path.dirname(writeRun(run(), folder).file)).toBe(path.join(folder, '2026-01-02-030405-ladder-2'));
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

test('every test opens with its question', () => {
  for (const name of Object.keys(tests)) expect(questionOf(name)).toMatch(/^[A-Z][^\n]+\?$/);
  const files = fs.readdirSync(path.join(__dirname, '../../../k6')).filter((file) => /^[a-z]+\.js$/.test(file));
  expect(Object.keys(tests).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort());
});
