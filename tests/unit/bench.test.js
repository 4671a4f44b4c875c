'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { verdict, withErrors, worstOfRoutes } = require('../../scripts/bench/bars');
const { compare } = require('../../scripts/bench/compare');
const { highestRate } = require('../../scripts/bench/highest-rate');
const { mixPaths } = require('../../scripts/bench/mix-requests');
const { startOurNginx } = require('../../scripts/bench/nginxes');
const { randomPage } = require('../../scripts/bench/pages');
const { picture } = require('../../scripts/bench/picture');
const { withFigures } = require('../../scripts/bench/readme');
const { readResults, writeReport } = require('../../scripts/bench/report');
const { interrupt, register, stopAll } = require('../../scripts/bench/running');
const { interleave, median } = require('../../scripts/bench/statistics');
const { parseWrk } = require('../../scripts/bench/wrk');
const { zipf } = require('../../scripts/bench/zipf');
const { createRandom } = require('../../scripts/generate/random');
/** @import { Bar, Results, Row } from '../../scripts/bench/bars' */

const wrkOutput = (/** @type {string} */ trouble) => `
  Latency Distribution
     50%  812.00us
     99%    4.62ms
  50322 requests in 5.00s, 12.00MB read
${trouble}Requests/sec:  10064.40
`;

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

describe('measuring', () => {
  test('reads rate, p99 and every kind of error from wrk', () => {
    expect(parseWrk(wrkOutput(''))).toEqual({ rps: 10064.4, p99Ms: 4.62, errors: 0 });
    const trouble =
      '  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 4\n';
    expect(parseWrk(wrkOutput(trouble)).errors).toBe(10);
  });

  test('takes no rate for none', () => {
    expect(() => parseWrk('unable to connect')).toThrow('measured nothing');
  });

  test('measures contestants in turn and quotes the middle one', async () => {
    /** @type {string[]} */
    const order = [];
    const contestant = (/** @type {string} */ name) => async () => order.push(name);
    await interleave({ a: contestant('a'), b: contestant('b') }, 2, () => {});
    expect(order).toEqual(['a', 'b', 'a', 'b']);
    expect([median([9, 1, 5]), median([4, 1, 2, 9])]).toEqual([5, 3]);
  });

  test.each([100, 1999, 2000, 7300])('finds a limit of %d requests a second', async (limit) => {
    const found = await highestRate(async (rate) => rate <= limit, { from: 2000 });
    expect(found).toBeLessThanOrEqual(limit);
    expect(found).toBeGreaterThanOrEqual(limit * 0.94);
  });

  test('says 0 when no rate passes', async () => {
    expect(await highestRate(async () => false, { from: 2000 })).toBe(0);
  });

  test('stops what a part has started once, newest first, and all of it when one cannot be stopped', async () => {
    /** @type {string[]} */
    const stopped = [];
    register(async () => void stopped.push('first'));
    const stop = register(async () => void stopped.push('second'));
    register(async () => {
      throw new Error('it does not end');
    });
    const said = jest.spyOn(console, 'error').mockImplementation(() => {});
    await stop();
    await stopAll();
    await interrupt();
    expect(stopped).toEqual(['second', 'first']);
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  });
});

describe('the requests', () => {
  test('of Zipf: each rank as often as its share, and none outside', () => {
    const rank = zipf(1000, createRandom(1));
    const drawn = Array.from({ length: 100_000 }, rank);
    const drawnUpTo = (/** @type {number} */ most) =>
      drawn.filter((one) => one <= most).length / drawn.length;
    const weight = (/** @type {number} */ most) =>
      Array.from({ length: most }, (_, index) => (index + 1) ** -0.99).reduce((a, b) => a + b);
    for (const most of [1, 10, 100]) {
      expect(Math.abs(drawnUpTo(most) - weight(most) / weight(1000))).toBeLessThan(0.05);
    }
    expect(Math.min(...drawn)).toBe(1);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1000);
  });

  test('of the mix: four products, one list, one styles, one related; more than a tenth of the newest tenth', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => index * 3 + 1);
    const paths = mixPaths(ids, 70_000);
    const share = (/** @type {RegExp} */ pattern) =>
      paths.filter((one) => pattern.test(one)).length / 10_000;
    expect(share(/^\/products\/\d+$/)).toBeCloseTo(4, 0);
    expect(share(/^\/products\?page=\d+&count=5$/)).toBeCloseTo(1, 0);
    expect(share(/styles$/)).toBeCloseTo(1, 0);
    expect(share(/related$/)).toBeCloseTo(1, 0);
    const asked = paths.flatMap((one) => /\/(\d+)/.exec(one)?.[1] ?? []).map(Number);
    expect(asked.filter((id) => !ids.includes(id))).toEqual([]);
    expect(asked.filter((id) => id > ids[899]).length / asked.length).toBeGreaterThan(0.1);
    expect(mixPaths(ids, 100)).toEqual(mixPaths(ids, 100));
  });

  test('of pages: begin where they are wanted', () => {
    const below = createRandom(3);
    for (let drawn = 0; drawn < 1000; drawn += 1) {
      const { page, count } = randomPage(below, 900, 1000);
      expect(page * count).toBeGreaterThan(900);
      expect((page - 1) * count).toBeLessThan(1000);
    }
  });
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

test('what is stopped at the end of a part takes its nginx and the cache in memory with it', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-nginx-'));
  await startOurNginx({ dir, workers: [{ port: 1, pid: 0, stop: async () => {} }] });
  const config = fs.readFileSync(path.join(dir, 'nginx/nginx.conf'), 'utf8');
  const [, cache] = /^\s*proxy_cache_path "([^"]+)"/m.exec(config) ?? [];
  expect(fs.existsSync(String(cache))).toBe(true);
  await stopAll();
  if (cache?.startsWith('/dev/shm')) expect(fs.existsSync(cache)).toBe(false);
  fs.rmSync(dir, { recursive: true });
});
