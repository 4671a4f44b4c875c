'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { verdict, withErrors, worstOfRoutes } = require('../../scripts/bench/bars');
const { compare } = require('../../scripts/bench/compare');
const { picture } = require('../../scripts/bench/picture');
const { requireWhole, withFigures } = require('../../scripts/bench/readme');
const { summaryText } = require('../../scripts/bench/text');
const { exitStatus, readResults, writeReport } = require('../../scripts/bench/report');
/** @import { Bar, Results, Row } from '../../scripts/bench/bars' */

const run = { machine: '2 cores', products: 1_000_011, rounds: 3, seconds: 4, date: '2026-01-01' };

let moment = 0;
/** @param {Record<string, { rows?: Row[], bars?: Bar[] }>} parts @returns {Results} each of another moment */
const resultsOf = (parts) => ({
  machine: '2 cores',
  parts: Object.fromEntries(
    Object.entries(parts).map(([name, { rows = [], bars = [] }]) => [
      name,
      { name, rows, bars, ...run, date: new Date((moment += 1)).toISOString() },
    ]),
  ),
});

describe('the report', () => {
  test('tells a missed bar from one that could not be measured, and keeps parts of earlier runs', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-bench-'));
    const first = { ...run, date: new Date(0), folder };
    try {
      const bars = [
        { what: 'slow', atLeast: 2, is: 1.9 },
        { what: 'fat', atMost: 450, is: 451 },
        { what: 'fine', atLeast: 2, is: 2 },
        { what: 'no peer', route: 'list', atLeast: 2, is: NaN },
      ];
      expect(writeReport({ name: 'cold', rows: [], bars }, first)).toMatchObject({
        missed: ['cold: slow', 'cold: fat'],
        unmeasured: ['cold: list: no peer'],
      });
      const disturbed = { ...first, stolenPercent: 12.34 };
      const { text, ...none } = writeReport({ name: 'hot', rows: [], bars: [] }, disturbed);
      expect(text.match(/the host took .*/g)).toEqual(['the host took 12.3 %']);
      expect(none).toEqual({ missed: [], unmeasured: [] });
      expect(text).toContain('| slow | ≥ 2 | 1.9 | MISSED |');
      expect(text).toContain('| list: no peer | ≥ 2 |  | not measured |');
      expect(Object.keys(readResults(path.join(folder, 'bench.json')).parts)).toEqual(['cold', 'hot']);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('ends with 1 for a bar that is missed, with 2 for one that nobody could measure', () => {
    const statuses = [exitStatus([], []), exitStatus(['a'], []), exitStatus([], ['b'])];
    expect([...statuses, exitStatus(['a'], ['b'])]).toEqual([0, 1, 2, 2]);
  });

  test('judges a part by the errors that its rows count, unless it does so itself', () => {
    const rows = [
      { route: 'list', what: 'a', errors: 2 },
      { route: 'list', what: 'b' },
    ];
    const [bar] = withErrors({ name: 'cold', rows, bars: [] }).bars;
    expect([bar.is, verdict(bar)]).toEqual([2, 'MISSED']);
    const own = { name: 'steady', rows, bars: [{ what: 'errors at 1000/s', atMost: 0, is: 0 }] };
    expect(withErrors(own)).toBe(own);
    expect(withErrors({ name: 'load', rows: [], bars: [] }).bars).toEqual([]);
  });

  test('does not pass errors that nobody could count, nor hides others behind them', () => {
    const errorsOf = (/** @type {number[]} */ ...counts) => {
      const rows = counts.map((errors) => ({ route: 'mix', what: 'a', errors }));
      return withErrors({ name: 'mix', rows, bars: [] }).bars.map(verdict);
    };
    expect([errorsOf(0, 0), errorsOf(0, NaN), errorsOf(3, NaN)].flat()).toEqual(['met', 'not measured', 'MISSED']);
  });

  test('takes of a bar that each route has the one that is farthest from being met', () => {
    const [least, most] = worstOfRoutes([
      { what: 'speed', route: 'list', atLeast: 1, is: 3 },
      { what: 'speed', route: 'styles', atLeast: 1, is: 2 },
      { what: 'memory', route: 'list', atMost: 150, is: 100 },
      { what: 'memory', route: 'styles', atMost: 150, is: 120 },
    ]);
    expect([least.is, most.is]).toEqual([2, 120]);
  });

  test.each([
    ['errors of a later route', [0, 0, 7, 3], 7],
    ['a miss behind a route that was not measured', [NaN, 1], 1],
    ['a miss before one', [1, NaN], 1],
    ['what was not measured before what is met', [0, NaN], NaN],
    ['the same, read from JSON', [0, /** @type {any} */ (null)], null],
  ])('takes %s', (_, values, is) => {
    const bars = values.map((value) => ({ what: 'errors', atMost: 0, is: value }));
    expect(worstOfRoutes(bars).map((bar) => bar.is)).toEqual([is]);
  });

  test('compares two runs by their bars, worst news first', () => {
    const bars = (/** @type {number} */ speed, /** @type {number} */ memory) => [
      { what: 'same', atLeast: 1, is: 2 },
      { what: 'speed', route: 'list', atLeast: 1, is: speed },
      { what: 'memory', atMost: 150, is: memory },
    ];
    const old = resultsOf({ hot: { bars: bars(1.2, 100) } });
    const { text, regressed } = compare(old, resultsOf({ hot: { bars: bars(0.9, 120) } }));
    expect(regressed).toBe(2);
    const verdicts = text.split('\n').map((line) => line.split('|').slice(-2)[0].trim());
    expect(verdicts).toEqual(['', '---', 'REGRESSED', 'WORSE', 'same']);
    expect(compare(old, resultsOf({ hot: { bars: bars(1.15, 104) } })).regressed).toBe(0);
    expect(compare(old, resultsOf({ cold: { bars: [] } })).regressed).toBe(0);
    expect(compare(old, old).text.match(/not run again/g)).toHaveLength(3);
    const missed = [{ what: 'new', atLeast: 1, is: 0.5 }];
    expect(compare(old, resultsOf({ mix: { bars: missed } })).regressed).toBe(1);
  });

  test.each([
    [5, 5000, '-100 %', 'WORSE'],
    [5000, 5, '83,250 %', 'better'],
    [5, 5, '0 %', 'same'],
    [0, 1, '-50 %', 'REGRESSED'],
    [0, 0, '0 %', 'same'],
    [0, NaN, '', 'gone'],
  ])('compares %d errors with %d', (before, now, change, verdictOfThem) => {
    const errors = (/** @type {number} */ is) => resultsOf({ hot: { bars: [{ what: 'errors', atMost: 0, is }] } });
    const row = compare(errors(before), errors(now)).text.split('\n').at(-1);
    const cells = row?.split('|').map((cell) => cell.trim());
    expect(cells?.slice(-3, -1)).toEqual([change, verdictOfThem]);
  });

  test('draws every contestant, ours apart, and escapes its name', () => {
    const rows = [
      { route: 'styles', what: 'one worker', rps: 100 },
      { route: 'styles', what: 'a < b', rps: 200 },
      { route: 'list', what: 'not drawn', rps: 300 },
    ];
    const svg = picture(resultsOf({ hot: { rows } }));
    expect(svg).toContain('a &lt; b');
    expect(svg).not.toContain('not drawn');
    const widths = [...svg.matchAll(/class="(ours|peer)" .* width="(\d+)"/g)];
    expect(widths.map(([, whose, width]) => [whose, Number(width)])).toEqual([
      ['peer', 380],
      ['ours', 190],
    ]);
  });

  test('tells the figures between the markers of the README and nowhere else', () => {
    const start = '<!-- measured: npm run bench -- readme -->\n';
    const document = `before\n${start}old\n<!-- /measured -->\nafter`;
    const bars = [{ what: 'speed', atLeast: 2, is: 3 }];
    const text = withFigures(document, summaryText(resultsOf({ hot: { bars } })));
    expect(text).toMatch(/^before\n[\s\S]*\| `hot` \| speed \| ≥ 2 \| 3 \| met \|[\s\S]*after$/);
    expect(text).not.toContain('old');
    expect(withFigures(text, summaryText(resultsOf({ hot: { bars } })))).toBe(text);
    expect(() => withFigures('no markers', '')).toThrow('markers');
  });

  test('tells no figures of two machines beside each other, and none of a short run', () => {
    const { machine, parts } = resultsOf({ hot: {}, cold: {} });
    const whole =
      (/** @type {object} */ other, /** @type {string[]} */ ...more) =>
      () =>
        requireWhole({ machine, parts: { ...parts, cold: { ...parts.cold, ...other } } }, ['hot', ...more]);
    expect(whole({})).not.toThrow();
    expect(whole({ machine: '4 cores' })).toThrow('cold was measured on 4 cores, not here: npm run bench -- cold');
    expect(whole({}, 'mix')).toThrow('mix is not among them');
    expect(whole({ products: 10 })).toThrow('fewer products');
    expect(whole({ rounds: 1 })).toThrow('fewer products, rounds or seconds');
    expect(whole({ seconds: 1 })).toThrow('fewer products, rounds or seconds');
  });
});
