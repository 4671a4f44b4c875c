'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { questionOf, tests } = require('../../scripts/k6/commands');
const { compare } = require('../../scripts/k6/compare');
const { rareCollections, reasonIn } = require('../../scripts/k6/launch');
const { reasonsOf } = require('../../scripts/k6/model');
const { markdown } = require('../../scripts/k6/markdown');
const { page } = require('../../scripts/k6/page');
const { createProgress } = require('../../scripts/k6/progress');
const { readRun, writeRun } = require('../../scripts/k6/results');
const { judge } = require('../../scripts/k6/runs');
const { row, run, second } = require('../helpers/k6-run');

describe('what is told of a run', () => {
  test('names each budget that was missed, in words', () => {
    const missed = [
      'http_req_duration p(99)<=10',
      'errors rate==0',
      'http_reqs count>=2970',
      'dropped_iterations count==0',
    ];
    const bad = row({ p99Ms: 23.4, errors: 12, requests: 2000, rps: 66.7, dropped: 7, missed });
    expect(reasonsOf([row(), bad])).toEqual([
      'product-100: p99 23.4 ms, allowed 10 ms; 12 of 2,000 replies failed or were wrong; ' +
        'only 66.7 of 100 requests a second; 7 requests could not be sent in time',
    ]);
  });

  test('a search passes though it broke rates, a soak of unseen workers does not', () => {
    const rows = [row({ missed: ['errors rate==0'] })];
    const search = (/** @type {number | null} */ held) =>
      judge({ rows, found: [{ route: 'mix', held, broke: 500, reason: 'why' }] });
    expect(search(450)).toEqual([]);
    expect(search(null)).toEqual(['mix: why']);
    expect(judge({ rows: [row()], growth: [] })[0]).toContain('--metrics');
    expect(judge({ rows: [row()], lives: [] })[0]).toContain('--metrics');
    const leak = { group: 'memory', line: 'worker 1', perHour: 60, from: 100, to: 190, ok: false };
    expect(judge({ rows: [row()], growth: [leak] })).toEqual(['worker 1: 100 → 190 MB, 60.0 an hour']);
    const lives = [1, 3].map((processes, n) => ({ line: `worker ${n + 1}`, processes }));
    const replaced = judge({ rows: [row()], growth: [{ ...leak, ok: true }], lives });
    expect(replaced).toEqual(['worker 2: replaced during the run, 3 processes one after the other']);
    expect(judge({ rows: [row()], silentS: 10 })).toEqual([]);
    expect(judge({ rows: [row()], silentS: 11 })).toEqual([expect.stringContaining('for the last 11 s')]);
    const soak = run({ test: 'soak', lives });
    for (const report of [markdown(soak), page(soak, { windows: [], server: [] })]) {
      expect(report).toContain('worker 1: the same process from beginning to end');
      expect(report).toContain(replaced[0]);
    }
  });

  test('warns where a rate holds only because k6 does not count how late it was itself', () => {
    const warning = 'product-100 holds without what k6 itself lost: p99 23.0 ms late, budget 10 ms';
    const told = (/** @type {Parameters<typeof row>[0]} */ figures) => markdown(run({ rows: [row(figures)] }));
    expect(told({ lateMs: 23 })).toContain(warning);
    for (const quiet of [{ lateMs: 10 }, { lateMs: 23, missed: ['errors rate==0'] }, {}])
      expect(told(quiet)).not.toContain('k6 itself');
    expect(told({ lateMs: 2.5 })).toContain('| 20.0 | 0 | 0 | 2.50 | ok |');
  });

  test("k6's own refusal becomes one line without its stack", () => {
    const text = 'level=error msg="Error: the catalog is empty: load \\"data\\" first\\n\\tat setup (ids.js:4)" hint=x';
    expect(reasonIn(text)).toBe('the catalog is empty: load "data" first');
    expect(reasonIn('nothing of the kind')).toBeUndefined();
  });

  test('collects only when a quarter of the free memory is full, where that is more than its live heap', () => {
    expect(rareCollections(20 * 2 ** 30)).toEqual({ GOGC: 'off', GOMEMLIMIT: '5120MiB' });
    expect(rareCollections(2 * 2 ** 30)).toEqual({ GOGC: '400' });
  });

  test('every test opens with its question', () => {
    for (const name of Object.keys(tests)) expect(questionOf(name)).toMatch(/^[A-Z][^\n]+\?$/);
    const files = fs.readdirSync(path.join(__dirname, '../../k6')).filter((f) => f.endsWith('.js'));
    expect(Object.keys(tests).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort());
  });

  test('is kept beside the run before, in a folder of its own', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
    try {
      const empty = { windows: [], server: [] };
      const figures = { rps: 99.5, p50Ms: 1.1, p90Ms: 2.1, p95Ms: 3.1, p99Ms: 7.5, maxMs: 21, errors: 2 };
      const first = writeRun(run({ rows: [row(figures)] }), empty, folder);
      expect(first.text).not.toContain('(');
      const others = [
        run({ url: 'http://127.0.0.1:2' }),
        run({ catalog: { rows: 600, known: 500 } }),
        run({ rows: [row({ budgetMs: 100 })] }),
        run({ rows: [row({ seconds: 20 })] }),
      ];
      for (const [n, other] of others.entries()) {
        const { text } = writeRun({ ...other, started: `2026-01-02T04:00:0${n}.000Z` }, empty, folder);
        expect(text).not.toContain('(');
      }
      const cut = path.join(folder, '2026-01-02-050000-ladder'); // by a kill or a full disk
      fs.mkdirSync(cut);
      fs.writeFileSync(path.join(cut, 'summary.json'), '{"test":"ladder",');
      expect(() => readRun(cut)).toThrow('holds no summary.json of a whole run');
      const later = run({ started: '2026-01-03T00:00:00.000Z' });
      const { folder: own, text } = writeRun(later, empty, folder);
      const cells =
        '| 100 (99.5) | 1.00 (1.10) | 2.00 (2.10) | 3.00 (3.10) | 4.00 (7.50) | 20.0 (21.0) | 0 (2) | 0 |  | ok |';
      expect(text).toContain(cells);
      expect(text).toContain('In brackets: the run before, of 2026-01-02 03:04 UTC.');
      expect(fs.readFileSync(path.join(own, 'report.html'), 'utf8')).toContain('<td>4.00 <small>(7.50)</small></td>');
      expect(readRun(own)).toEqual(later);
      const mix = { scenario: 'mix-1', rate: undefined, dropped: undefined };
      expect(markdown(run({ rows: [row(mix)] }))).toContain('| 20.0 | 0 |  |  | ok |');
      expect(fs.readdirSync(own).sort()).toEqual(['report.html', 'summary.json', 'summary.md']);
      expect(() => readRun(folder)).toThrow('name a folder of results/k6');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('compare', () => {
  test('says which is worse, and of noise nothing', () => {
    const a = run({ found: [{ route: 'mix', held: 2000, broke: 2100, reason: '' }] });
    const b = run({
      rows: [row({ p50Ms: 1.02, p99Ms: 8 })],
      found: [{ route: 'mix', held: 3000, broke: 3100, reason: '' }],
    });
    const text = compare(a, b);
    expect(text).toContain('| mix sustained/s | 2,000 | 3,000 | 1.50 × | B is better |');
    expect(text).toContain('| product-100 for 30 s p50 ms | 1.00 | 1.02 | 1.02 × | alike |');
    expect(text).toContain('| product-100 for 30 s p99 ms | 4.00 | 8.00 | 2.00 × | B is worse |');
  });

  test.each([
    [{ errors: 0 }, { errors: 2900 }, '| product-100 errors | 0 | 2,900 |  | B is worse |'],
    [{ errors: 2900 }, { errors: 0 }, '| product-100 errors | 2,900 | 0 | 0.00 × | B is better |'],
    [{ dropped: 0 }, { dropped: 7 }, '| product-100 dropped | 0 | 7 |  | B is worse |'],
    [{ dropped: 8 }, { dropped: 4 }, '| product-100 dropped | 8 | 4 | 0.50 × | B is better |'],
    [{ rps: 100 }, { rps: 80 }, '| product-100 answered/s | 100 | 80 | 0.80 × | B is worse |'],
    [{}, { rps: 0, p50Ms: 0, p99Ms: 0 }, '| product-100 p99 ms | 4.00 | 0.00 | 0.00 × |  |'], // it answered nothing
    [{ rps: 100 }, { rps: 99 }, '| product-100 answered/s | 100 | 99 | 0.99 × | alike |'],
  ])('of %j and %j', (a, b, line) => {
    expect(compare(run({ rows: [row(a)] }), run({ rows: [row(b)] }))).toContain(line);
  });

  test('a rate that nothing held before is better, one that nothing holds now is worse', () => {
    const held = (/** @type {number | null} */ rate) =>
      run({ found: [{ route: 'mix', held: rate, broke: 1, reason: '' }] });
    expect(compare(held(null), held(50))).toContain('| mix sustained/s | 0 | 50 |  | B is better |');
    expect(compare(held(50), held(null))).toContain('| 50 | 0 | 0.00 × | B is worse |');
  });

  const tried = row({ scenario: 'product-454', rate: 454, seconds: 8, p99Ms: 4, errors: 1 });
  const search = run({
    rows: [tried, row({ ...tried, seconds: 30, p99Ms: 9, errors: 3 })],
    found: [{ route: 'product', held: 454, broke: 477, reason: '' }],
  });

  test('a search that held the rate it had tried is alike itself', () => {
    const rows = compare(search, search)
      .split('\n')
      .filter((line) => line.startsWith('| product'));
    expect(rows).toHaveLength(9);
    for (const line of rows) expect(line).toMatch(/1\.00 × \| alike \|$/);
    expect(markdown(search, search)).toContain('| product-454 for 30 s | 454 | 100 (100) | 1.00 (1.00)');
  });

  test.each([
    ['URL', { ...search, url: 'http://127.0.0.1:2' }],
    ['catalog', { ...search, catalog: { rows: 501, known: 500 } }],
    ['completeness', { ...search, interrupted: true }],
    ['budget', { ...search, rows: search.rows.map((one) => ({ ...one, budgetMs: 100 })) }],
  ])('of runs that differ in the %s it shows both, and no verdict', (term, other) => {
    const text = compare(search, other);
    expect(text).toContain(`No verdict where they differ: ${term}.`);
    expect(text).toContain('| product sustained/s | 454 | 454 | 1.00 × |  |');
    expect(text).not.toMatch(/alike|worse|better/);
  });

  test('of rates that were held for another time it gives no verdict, of the others one', () => {
    const other = row({ scenario: 'product-1', rate: 1 });
    const text = compare(run({ rows: [row(), other] }), run({ rows: [row({ seconds: 20 }), other] }));
    expect(text).toContain('No verdict where they differ: duration.');
    expect(text).toContain('| product-100 p99 ms | 4.00 | 4.00 | 1.00 × |  |');
    expect(text).toContain('| product-1 p99 ms | 4.00 | 4.00 | 1.00 × | alike |');
  });

  test('tells what was measured and against which budgets, and how late k6 was', () => {
    const [a, b] = [2, 9].map((lateMs) => run({ rows: [row({ lateMs }), row({ scenario: 'x', budgetMs: 100 })] }));
    const text = compare(a, b);
    for (const letter of ['A', 'B'])
      expect(text).toContain(`${letter}: ladder, 2026-01-02 03:04 UTC, 30 s; http://127`);
    expect(text.match(/500 products; .*; budget 10 and 100 ms\n/g)).toHaveLength(2);
    expect(text).toContain('| product-100 late p99 ms | 2.00 | 9.00 | 4.50 × |  |');
  });

  test('says nothing of what neither has, nor of how often a route of a mix was drawn', () => {
    const part = { rate: undefined, scenario: 'mix-1', rps: 0.2, dropped: undefined };
    const text = compare(run({ rows: [row(part)] }), run({ rows: [row({ ...part, rps: 0.4 })] }));
    expect(text.match(/mix-1 product \S+/g)).toEqual(['mix-1 product p50', 'mix-1 product p99']);
  });

  test('says so when two runs have nothing in common', () => {
    const other = run({ rows: [row({ scenario: 'list-1' })] });
    expect(compare(run(), other)).toContain('nothing in common');
  });
});

describe('progress', () => {
  /** @param {boolean} isTTY */
  function told(isTTY) {
    let text = '';
    const progress = createProgress({ write: (part) => (text += part), isTTY });
    for (let t = 0; t < 25; t += 1) progress.show({ ...second(t), errors: t === 3 ? 2 : 0 });
    return text;
  }

  test('is one changing line on a terminal, elsewhere a line now and then', () => {
    expect(told(true)).not.toContain('\n');
    const lines = told(false).trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('2 errors');
  });
});
