'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { verdict, withErrors, worstOfRoutes } = require('../../scripts/bench/bars');
const { compare } = require('../../scripts/bench/compare');
const { picture } = require('../../scripts/bench/picture');
const { withFigures } = require('../../scripts/bench/readme');
const { readResults, writeReport } = require('../../scripts/bench/report');
/** @import { Bar, Results, Row } from '../../scripts/bench/bars' */

/** @param {Record<string, { rows?: Row[], bars?: Bar[] }>} parts @returns {Results} */
const resultsOf = (parts) => ({
  machine: '2 cores',
  parts: Object.fromEntries(
    Object.entries(parts).map(([name, { rows = [], bars = [] }]) => [
      name,
      { name, rows, bars, products: 10, date: '2026-01-01' },
    ]),
  ),
});

describe('the report', () => {
  test('counts a missed bar, not one that could not be measured, and keeps parts of earlier runs', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-bench-'));
    const run = { products: 10, date: new Date(0), folder };
    try {
      const bars = [
        { what: 'slow', atLeast: 2, is: 1.9 },
        { what: 'fat', atMost: 450, is: 451 },
        { what: 'fine', atLeast: 2, is: 2 },
        { what: 'no peer', atLeast: 2, is: NaN },
      ];
      expect(writeReport({ name: 'cold', rows: [], bars }, run).missed).toBe(2);
      const disturbed = { ...run, stolenPercent: 12.34 };
      const { text, missed } = writeReport({ name: 'hot', rows: [], bars: [] }, disturbed);
      expect(text.match(/the host took .*/g)).toEqual(['the host took 12.3 %']);
      expect(missed).toBe(0);
      expect(text).toContain('| slow | ≥ 2 | 1.9 | MISSED |');
      expect(text).toContain('| no peer | ≥ 2 |  | not measured |');
      expect(Object.keys(readResults(path.join(folder, 'bench.json')).parts)).toEqual([
        'cold',
        'hot',
      ]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
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

  test('takes of a bar that each route has the one that is farthest from being met', () => {
    const [least, most] = worstOfRoutes([
      { what: 'speed', route: 'list', atLeast: 1, is: 3 },
      { what: 'speed', route: 'styles', atLeast: 1, is: 2 },
      { what: 'memory', route: 'list', atMost: 150, is: 100 },
      { what: 'memory', route: 'styles', atMost: 150, is: 120 },
    ]);
    expect([least.is, most.is]).toEqual([2, 120]);
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
    const missed = [{ what: 'new', atLeast: 1, is: 0.5 }];
    expect(compare(old, resultsOf({ mix: { bars: missed } })).regressed).toBe(1);
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
    const text = withFigures(document, resultsOf({ hot: { bars } }));
    expect(text).toMatch(/^before\n[\s\S]*\| `hot` \| speed \| ≥ 2 \| 3 \| met \|[\s\S]*after$/);
    expect(text).not.toContain('old');
    expect(withFigures(text, resultsOf({ hot: { bars } }))).toBe(text);
    expect(() => withFigures('no markers', resultsOf({}))).toThrow('markers');
  });
});
