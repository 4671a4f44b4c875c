'use strict';

const vm = require('node:vm');

const { drawingOf, page } = require('../../../scripts/k6/page');
const { markdown } = require('../../../scripts/k6/report');
const { row, run, second } = require('../../helpers/k6-run');

describe('the page', () => {
  /** @type {import('../../../scripts/k6/recorder').Recording} */
  const recording = {
    windows: [second(10), second(11), second(20, 'product-200')],
    server: [
      { t: 11.02, groups: { cpu: { 'worker 1': 0.5 }, replies: { ok: 70 }, reads: { L1: 60 } } },
      { t: 12.02, groups: { cpu: { 'worker 1': 0.7 } } },
    ],
  };

  test('needs no network and lets no text of a run become markup', () => {
    const hostile = run({ url: 'http://x/</script><b>', reasons: ['<i>"slow"</i>'], ok: false, test: 'mix' });
    const html = page(hostile, recording, markdown(hostile));
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).not.toMatch(/@import|url\(/);
    expect(html).toContain('&lt;i>"slow"&lt;/i>');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  test('has a script that runs as far as the first element it needs', () => {
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page(run(), recording, '')) ?? [];
    /** @type {string[]} */
    const asked = [];
    const getElementById = (/** @type {string} */ id) => {
      asked.push(id);
      throw new Error('no browser');
    };
    const none = () => ({ addEventListener: none });
    const browser = { document: { getElementById }, navigator: {}, addEventListener: none, matchMedia: none };
    expect(() => vm.runInNewContext(script, browser)).toThrow('no browser');
    expect(asked).toEqual(['data']);
  });

  test('draws traffic and service on one axis of seconds, with gaps where nothing was seen', () => {
    const { x, charts, steps } = drawingOf(run(), recording);
    expect(x).toEqual(Array.from({ length: 11 }, (_, n) => n));
    const drawn = Object.fromEntries(
      charts.flatMap(({ title, lines }) => lines.map(({ name, values }) => [`${title}, ${name}`, values])),
    );
    const gap = Array(8).fill(null);
    expect(drawn['Traffic: latency, p99']).toEqual([3, 3, ...gap, 3]);
    expect(drawn['Traffic: latency, budget']).toEqual([10, 10, ...gap, null]);
    expect(drawn['CPU, worker 1']).toEqual([0.5, 0.7, ...gap, null]);
    expect(drawn['Service: replies by cache tier, nginx (L0)']).toEqual([30, null, ...gap, null]);
    expect(drawn['Service: replies by cache tier, L1']).toEqual([60, null, ...gap, null]);
    expect([steps[0], steps[5], steps[10]]).toEqual(['product-100', undefined, 'product-200']);
  });

  test('draws the budget of each step, which is larger during a spike', () => {
    const rows = [
      row({ scenario: 'before-100' }),
      row({ scenario: 'spike-1000', rate: 1000, budgetMs: 100 }),
      row({ scenario: 'after-100' }),
    ];
    const windows = ['before-100', 'spike-1000', 'after-100'].map((scenario, t) => second(t, scenario));
    const [latency] = drawingOf(run({ rows }), { windows, server: [] }).charts;
    expect(latency.lines.find(({ name }) => name === 'budget')?.values).toEqual([10, 100, 10]);
  });

  test('leaves out charts of the service if no worker was seen', () => {
    const { charts } = drawingOf(run(), { windows: recording.windows, server: [] });
    expect(charts.map(({ title }) => title)).toEqual(['Traffic: latency', 'Traffic: replies']);
  });
});
