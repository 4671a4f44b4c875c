'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { questionOf, tests } = require('../../../scripts/k6/options');
const { rareCollections } = require('../../../scripts/k6/launch');
const { createProgress } = require('../../../scripts/k6/timeline');
const { markdown, writeRun } = require('../../../scripts/k6/report');
const { generatorLimits, judge, reasonsOf, verdictOf } = require('../../../scripts/k6/verdict');
const { row, run, second } = require('../../helpers/k6-run');

const slow = ['http_req_duration p(99)<=10'];

describe('the verdict', () => {
  test('names each target that was missed, in words', () => {
    const missed = [...slow, 'errors rate==0', 'http_reqs count>=2970', 'dropped_iterations count==0'];
    const bad = row({ p99Ms: 23.4, errors: 12, requests: 2000, rps: 66.7, dropped: 7, missed });
    expect(reasonsOf([row(), bad])).toEqual([
      'product-100: p99 23.4 ms, allowed 10 ms; 12 of 2,000 replies failed or were wrong; ' +
        'only 66.7 of 100 requests a second; 7 requests could not be sent in time',
    ]);
  });

  test('does not judge the p99 of fewer than 100 requests, but everything else', () => {
    const few = { requests: 99, missed: slow, p99Ms: 23.4 };
    expect(verdictOf(row(few))).toBe('ok, too few for a p99');
    expect(reasonsOf([row(few)])).toEqual([]);
    expect(verdictOf(row({ ...few, requests: 100 }))).toBe('FAILED');
    const wrong = row({ ...few, errors: 1, missed: [...slow, 'errors rate==0'] });
    expect(reasonsOf([wrong])).toEqual(['product-100: 1 of 99 replies failed or were wrong']);
  });

  test('of nothing fails', () => {
    expect([judge({ rows: [] }), judge({ rows: [row()], found: [] })]).toEqual(Array(2).fill(['nothing was measured']));
  });

  test('of a search fails only if no rate holds', () => {
    const rows = [row({ missed: ['errors rate==0'] })];
    const search = (/** @type {number | null} */ held) =>
      judge({ rows, found: [{ route: 'mix', held, broke: 500, reason: 'why' }] });
    expect(search(450)).toEqual([]);
    expect(search(null)).toEqual(['mix: why']);
  });

  test.each([
    [{ dropped: 7, missed: ['dropped_iterations count==0'] }, ['it dropped 7 requests while replies were fast']],
    [{ dropped: 7, missed: slow, p99Ms: 900 }, []], // users waited for a slow service
    [{ lateMs: 23 }, ['it sent requests late (p99 23.0 ms), which no other time includes']],
    [
      { missed: slow, load: { cpu: { k6: 1.85 }, busy: 1.85 } },
      [/k6 used 1.85 of its 2 cores/, /its machine was busy/],
    ],
    [{ missed: slow, load: { cpu: { k6: 0.5 }, busy: 1.2 } }, []],
    [{ load: { cpu: { k6: 1.85 }, busy: 2 } }, []], // it held nevertheless
    [{ missed: ['errors rate==0'], errors: 9, load: { cpu: { k6: 1.85 }, busy: 2 } }, []],
  ])('of %j says whether the generator is the limit', (figures, limits) => {
    expect(generatorLimits(row(figures), 2)).toEqual(
      limits.map((limit) => (typeof limit === 'string' ? limit : expect.stringMatching(limit))),
    );
    const advice = /product-100: the generator is the limit: .*; send from another machine/;
    if (limits.length > 0) expect(markdown(run({ rows: [row(figures)] }))).toMatch(advice);
  });

  test('of a soak fails for workers that were not seen, leaked, restarted or fell silent', () => {
    const leak = { line: 'worker 1', unit: 'MB', perHour: 60, from: 100, to: 190, ok: false };
    const [stable, once] = [
      { ...leak, ok: true },
      { line: 'worker 1', processes: 1 },
    ];
    const reasons = (/** @type {Partial<NonNullable<import('../../../scripts/k6/verdict').Run['soak']>>} */ soak) =>
      judge({ rows: [row()], soak: { growth: [stable], lives: [once], silentS: 10, ...soak } });
    expect(reasons({})).toEqual([]);
    expect(reasons({ growth: [] })).toEqual([expect.stringContaining('--metrics')]);
    expect(reasons({ lives: [] })).toEqual([expect.stringContaining('--metrics')]);
    expect(reasons({ growth: [leak] })).toEqual(['worker 1: 100 → 190 MB, 60.0 an hour']);
    const restarted = 'worker 2: restarted, 3 processes during the run';
    expect(reasons({ lives: [once, { line: 'worker 2', processes: 3 }] })).toEqual([restarted]);
    expect(reasons({ silentS: 11 })).toEqual([expect.stringContaining('for the last 11 s')]);
    const text = markdown(run({ soak: { growth: [stable], lives: [once], silentS: 0 } }));
    expect(text).toContain('- worker 1: the same process throughout');
  });
});

describe('the report', () => {
  test('shows requests, times and the share of each cache tier, in columns that a terminal aligns', () => {
    const tiers = { L0: 0.5, L1: 0.25, L2: 0.15, PostgreSQL: 0.1 };
    const text = markdown(run({ rows: [row({ lateMs: 2.5, load: { tiers, cpu: {} } })] }));
    const [heads, rule, cells] = text.split('\n').filter((line) => line.startsWith('|'));
    expect(heads.split(/ *\| */).slice(1, 5)).toEqual(['step', 'verdict', 'asked/s', 'requests']);
    const figures = '100 | 3,000 | 100 | 1.00 | 3.00 | 4.00 | 20.0 | 0 | 0 | 2.50 | 50 | 25 | 15 | 10 |';
    expect(cells.replace(/ +/g, ' ')).toBe(`| product-100 | ok | ${figures}`);
    expect(new Set([heads, rule, cells].map(({ length }) => length)).size).toBe(1);
    expect(markdown(run())).not.toContain('L0 %'); // without metrics
  });

  test('shows the first failures of a step', () => {
    const failure = 'route=styles id=7 check="status is 200" answer="503 Service Unavailable" X-Request-Id=ab';
    const text = markdown(run({ rows: [row({ failures: [failure] })] }));
    expect(text).toContain(`First failures:\n\n- product-100: ${failure}\n`);
    expect(markdown(run())).not.toContain('First failures');
  });

  test('is written for people and programs, and can be read again', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
    try {
      const { file, text } = writeRun(run(), folder);
      expect(path.relative(folder, file)).toBe('2026-01-02-030405-ladder/summary.md');
      expect(fs.readFileSync(file, 'utf8')).toBe(text);
      expect(JSON.parse(fs.readFileSync(path.join(file, '../summary.json'), 'utf8'))).toEqual(run());
      expect(path.dirname(writeRun(run(), folder).file)).toBe(path.join(folder, '2026-01-02-030405-ladder-2')); // beside it
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

test('k6 collects garbage only when a quarter of the free memory is full, if that is more than its live heap', () => {
  expect(rareCollections(20 * 2 ** 30)).toEqual({ GOGC: 'off', GOMEMLIMIT: '5120MiB' });
  expect(rareCollections(2 * 2 ** 30)).toEqual({ GOGC: '400' });
});

test('every test opens with its question', () => {
  for (const name of Object.keys(tests)) expect(questionOf(name)).toMatch(/^[A-Z][^\n]+\?$/);
  const files = fs.readdirSync(path.join(__dirname, '../../../k6')).filter((file) => /^[a-z]+\.js$/.test(file));
  expect(Object.keys(tests).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort());
});

test('progress is one changing line on a terminal, elsewhere an occasional line', () => {
  const shown = (/** @type {boolean} */ isTTY) => {
    let text = '';
    const progress = createProgress({ write: (part) => (text += part), isTTY });
    for (let t = 0; t < 25; t += 1) progress.show({ ...second(t), errors: t === 3 ? 2 : 0 });
    return text;
  };
  expect(shown(true)).not.toContain('\n');
  const lines = shown(false).trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toContain('2 errors');
});
