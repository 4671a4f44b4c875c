'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vm = require('node:vm');
const { drawingOf, spansOf, thin } = require('../../scripts/k6/charts');
const { questionOf, tests } = require('../../scripts/k6/commands');
const { compare } = require('../../scripts/k6/compare');
const { reasonIn } = require('../../scripts/k6/launch');
const { reasonsOf } = require('../../scripts/k6/model');
const { helpText, parseOptions } = require('../../scripts/k6/options');
const { page } = require('../../scripts/k6/page');
const { createProgress } = require('../../scripts/k6/progress');
const { readRun, writeRun } = require('../../scripts/k6/results');
const { judge } = require('../../scripts/k6/runs');
const { findTarget } = require('../../scripts/k6/target');

/** @param {Partial<import('../../scripts/k6/model').Figures>} [figures] */
const row = (figures = {}) => ({
  ...{ scenario: 'product-100', route: 'product', rate: 100, seconds: 30, budgetMs: 10 },
  ...{ requests: 3000, rps: 100, p50Ms: 1, p90Ms: 2, p95Ms: 3, p99Ms: 4, maxMs: 20 },
  ...{ errors: 0, dropped: 0, missed: [] },
  ...figures,
});

/** @param {Partial<import('../../scripts/k6/model').Run>} [facts] @returns {import('../../scripts/k6/model').Run} */
const run = (facts = {}) => ({
  ...{ test: 'ladder', question: 'Does it hold?', started: '2026-01-02T03:04:05.000Z' },
  ...{ seconds: 30, url: 'http://127.0.0.1:1', machine: '2 cores', k6: 'v1.8.1', failures: {} },
  ...{ catalog: { rows: 500, known: 500 }, rows: [row()], ok: true, reasons: [] },
  ...facts,
});

const second = (/** @type {number} */ t, scenario = 'product-100') => ({
  ...{ t, scenario, rps: 100, p50Ms: 1, p95Ms: 2, p99Ms: 3, maxMs: 4, errors: 0, dropped: 0 },
});

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
    const leak = { group: 'memory', line: 'worker 1', perHour: 60, from: 100, to: 190, ok: false };
    expect(judge({ rows: [row()], growth: [leak] })).toEqual([
      'worker 1: 100 → 190 MB, 60.0 an hour',
    ]);
  });

  test("k6's own refusal becomes one line without its stack", () => {
    const text =
      'level=error msg="Error: the catalog is empty: load \\"data\\" first\\n\\tat setup (ids.js:4)" hint=x';
    expect(reasonIn(text)).toBe('the catalog is empty: load "data" first');
    expect(reasonIn('nothing of the kind')).toBeUndefined();
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
      const first = writeRun(run({ rows: [row({ p99Ms: 7.5 })] }), empty, folder);
      expect(first.text).not.toContain('7.50 | ok');
      const later = run({ started: '2026-01-03T00:00:00.000Z' });
      const { folder: own, text } = writeRun(later, empty, folder);
      expect(text).toContain('| 4.00 | 20.0 | 0 | 0 | 7.50 | ok |');
      expect(readRun(own)).toEqual(later);
      expect(fs.readdirSync(own).sort()).toEqual(['report.html', 'summary.json', 'summary.md']);
      expect(() => readRun(folder)).toThrow('name a folder of results/k6');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

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
    expect(spans.map(({ name }) => name)).toEqual(['product-100', 'product-200']);
  });

  test('shows each rate once, with its worse figure', () => {
    const rows = [
      row(),
      row({ p99Ms: 9 }),
      row({ rate: 1, p99Ms: 2 }),
      row({ route: 'list', rate: 1, p99Ms: 5 }),
    ];
    const [ladder] = drawingOf(run({ rows }), recording, false).charts;
    expect(ladder).toMatchObject({ over: 'rate', limit: 10, x: [1, 100] });
    expect(ladder.names).toEqual(['product', 'list']);
    expect(ladder.values).toEqual([
      [2, 9],
      [5, null],
    ]);
  });

  test('keeps the worst second of a long run', () => {
    const x = Array.from({ length: 5000 }, (_, n) => n);
    const values = [x.map((n) => (n === 3333 ? 99 : 1))];
    const drawn = thin(x, values);
    expect(drawn.x.length).toBeLessThanOrEqual(1200);
    expect(Math.max(...drawn.values[0].map(Number))).toBe(99);
  });

  test('tells stretches apart by their scenario', () => {
    expect(spansOf([second(5), second(6), second(9, 'b')], 5)).toEqual([
      { name: 'product-100', from: 0, to: 2 },
      { name: 'b', from: 4, to: 5 },
    ]);
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
    expect(text).toContain('| product-100 p50 ms | 1.00 | 1.02 | 1.02 × | alike |');
    expect(text).toContain('| product-100 p99 ms | 4.00 | 8.00 | 2.00 × | B is worse |');
  });

  test('says so when two runs have nothing in common', () => {
    const other = run({ rows: [row({ scenario: 'list-1' })] });
    expect(compare(run(), other)).toContain('nothing in common');
  });
});

describe('wrong use is refused in one line', () => {
  test.each([
    [['lader'], 'no test "lader": use smoke, ladder'],
    [['ladder', '--rout', 'list'], '--help'],
    [['ladder', '--route', 'lists'], 'use list, product, styles, related, mix or all'],
    [['ladder', '--rates', '1,0'], 'whole numbers like 1,10'],
    [['ladder', '--rate', '5'], '--rate means nothing to ladder'],
    [['smoke', '--budget', '5'], '--budget means nothing to smoke'],
    [['mix', '--duration', '5'], 'like 90s, 5m or 2h'],
    [['mix', '--url', '127.0.0.1'], 'like http://'],
    [['ladder', '--cores', 'two'], '--cores two: must be numbers of cores'],
    [['compare', 'one'], 'two folders'],
  ])('%j', (words, line) => {
    expect(() => parseOptions(words)).toThrow(line);
    expect(() => parseOptions(words)).not.toThrow('\n');
  });

  test('and right use is passed on', () => {
    expect(parseOptions([])).toEqual({ help: true });
    const words = ['ladder', '--route', 'all,mix', '--rates', '5', '--budget', '20', '--insecure'];
    expect(parseOptions([...words, '--cores', '1,2-3'])).toMatchObject({
      cores: '1,2-3',
      routes: ['list', 'product', 'styles', 'related', 'mix'],
      env: { RATES: '5', P99_MS: '20', K6_INSECURE_SKIP_TLS_VERIFY: 'true' },
    });
    expect(helpText()).toContain('breakpoint');
  });

  test("a stack's own metrics are not taken for those of a service elsewhere", () => {
    const state = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
    try {
      expect(() => findTarget({ state, url: undefined, metrics: undefined })).toThrow('npm start');
      const stack = { url: 'http://127.0.0.1:8080', adminPorts: [9030] };
      fs.writeFileSync(path.join(state, 'stack.json'), JSON.stringify(stack));
      const target = (/** @type {string | undefined} */ url) =>
        findTarget({ state, url, metrics: undefined });
      expect(target(undefined).metrics).toEqual(['http://127.0.0.1:9030/metrics']);
      expect(target('http://catalog.example').metrics).toEqual([]);
    } finally {
      fs.rmSync(state, { recursive: true });
    }
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
