'use strict';

const vm = require('node:vm');

const { drawingOf, spansOf, thin } = require('../../scripts/k6/charts');
const { page } = require('../../scripts/k6/page');
const { row, run, second } = require('../helpers/k6-run');

describe('the page', () => {
  const recording = {
    windows: [second(10), second(11), second(20, 'product-200')],
    server: [{ t: 11, groups: { cpu: { 'worker 1': 0.5 } } }],
  };

  test('needs no network and lets no text of a run become markup', () => {
    const hostile = run({ url: 'http://x/</script><b>', reasons: ['<i>"slow"</i>'], ok: false });
    const html = page(hostile, recording);
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).not.toMatch(/@import|url\(/);
    expect(html).toContain('&lt;i&gt;&quot;slow&quot;&lt;/i&gt;');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).not.toMatch(/\{\{\w+\}\}/);
  });

  test('has a script that runs as far as the first element it asks for', () => {
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page(run(), recording)) ?? [];
    /** @type {string[]} */
    const asked = [];
    const getElementById = (/** @type {string} */ id) => {
      asked.push(id);
      throw new Error('no browser');
    };
    const none = () => ({ addEventListener: none });
    const browser = {
      document: { getElementById },
      navigator: {},
      addEventListener: none,
      matchMedia: none,
    };
    expect(() => vm.runInNewContext(script, browser)).toThrow('no browser');
    expect(asked).toEqual(['data']);
  });

  test('draws what was recorded, and a gap where nothing was', () => {
    const { charts, spans } = drawingOf(run(), recording, false);
    const titles = charts.map(({ title }) => title);
    expect(titles).toEqual(['Latency', 'Answered', 'CPU']);
    expect(charts[0].x).toEqual([0, 1, 2, 10]);
    expect(charts[0].values[2]).toEqual([3, 3, null, 3]);
    expect([charts[0].names[4], charts[0].values[4]]).toEqual(['budget', [10, 10, null, null]]);
    expect(spans.map(({ name }) => name)).toEqual(['product-100', 'product-200']);
  });

  test('draws the budget of a spike while it lasts, and that of each rate', () => {
    const rows = [
      row({ scenario: 'before-100' }),
      row({ scenario: 'spike-1000', rate: 1000, budgetMs: 100 }),
      row({ scenario: 'after-100' }),
    ];
    const windows = ['before-100', 'spike-1000', 'after-100'].map((scenario, t) => second(t, scenario));
    const [rates, latency] = drawingOf(run({ rows }), { windows, server: [] }, false).charts;
    const budgets = [rates, latency].map(({ names, values }) => values[names.indexOf('budget')]);
    expect(budgets).toEqual([
      [10, 100],
      [10, 100, 10],
    ]);
  });

  test('shows each rate once, with its worse figure', () => {
    const rows = [row(), row({ p99Ms: 9 }), row({ rate: 1, p99Ms: 2 }), row({ route: 'list', rate: 1, p99Ms: 5 })];
    const [ladder] = drawingOf(run({ rows }), recording, false).charts;
    expect(ladder).toMatchObject({ over: 'rate', x: [1, 100] });
    expect(ladder.names).toEqual(['product', 'list', 'budget']);
    expect(ladder.values).toEqual([
      [2, 9],
      [5, null],
      [10, 10],
    ]);
  });

  test('keeps the worst second of a long run', () => {
    const x = Array.from({ length: 5000 }, (_, n) => n);
    const values = [x.map((n) => (n === 3333 ? 99 : 1))];
    const drawn = thin(x, values);
    expect(drawn.x.length).toBeLessThanOrEqual(1200);
    expect(Math.max(...drawn.values[0].map(Number))).toBe(99);
  });

  test('of a long run: the second in which fewest were answered, and each gap', () => {
    const windows = Array.from({ length: 5000 }, (_, t) => ({
      ...second(t),
      ...(t === 3333 ? { rps: 2 } : {}),
      ...(t === 4003 ? { maxMs: 9000 } : {}),
    })).filter(({ t }) => t < 2000 || t > 2010);
    const server = [{ t: 0, groups: {} }];
    const [latency, answered] = drawingOf(run({ rows: [] }), { windows, server }, false).charts;
    expect(answered.x.length).toBeLessThanOrEqual(1200);
    expect(answered.names[0]).toBe('answered');
    expect(answered.values[0].filter((rps) => rps !== 100)).toEqual([null, 2]);
    expect(answered.x[answered.values[0].indexOf(null)]).toBe(2000);
    expect(Math.max(...latency.values[3].map(Number))).toBe(9000);
  });

  test('a line that pauses while others go on has a gap, and hides no worst second beside a common one', () => {
    const x = Array.from({ length: 5000 }, (_, n) => n);
    const gone = (/** @type {number} */ n) => n >= 2000 && n < 2003;
    const lines = [
      x.map((n) => (gone(n) ? null : n === 1999 || n === 2003 ? 99 : 1)),
      x.map((n) => (gone(n) || n === 4000 ? null : 1)),
    ];
    const [worst, paused] = thin(x, lines).values;
    expect(worst.filter((value) => value !== 1)).toEqual([99, null, 99]);
    expect(paused.filter((value) => value === null)).toHaveLength(2);
  });

  test('tells stretches apart by their scenario', () => {
    expect(spansOf([second(5), second(6), second(9, 'b')], 5)).toEqual([
      { name: 'product-100', from: 0, to: 2 },
      { name: 'b', from: 4, to: 5 },
    ]);
  });
});
