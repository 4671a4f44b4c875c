'use strict';
const { EventEmitter } = require('node:events');
const http = require('node:http');
const { machineTicks, processTicks } = require('../../scripts/lib/proc');
const { growthOf } = require('../../scripts/k6/growth');
const { Histogram } = require('../../scripts/k6/histogram');
const { parseMetrics } = require('../../scripts/k6/prometheus');
const { startRecorder } = require('../../scripts/k6/recorder');
const { csvReader } = require('../../scripts/k6/samples');
const { findBreakpoint } = require('../../scripts/k6/search');
const { between, table, totals } = require('../../scripts/k6/server-figures');
const { createTimeline } = require('../../scripts/k6/timeline');
const { createMetrics } = require('../../server/admin/metrics');
const { until } = require('../helpers/app');

describe('latencies', () => {
  test('percentiles are right within two per cent, the greatest is exact', () => {
    const histogram = new Histogram();
    for (let n = 1; n <= 10_000; n += 1) histogram.add(n / 100);
    for (const share of [0.5, 0.9, 0.99]) {
      const exact = share * 100;
      expect(Math.abs(histogram.percentile(share) - exact) / exact).toBeLessThan(0.02);
    }
    expect(histogram.percentile(1)).toBeLessThanOrEqual(100);
    expect(histogram.maxMs).toBe(100);
  });

  test('a single slow reply in a hundred is no p99, two are', () => {
    const [one, two] = [1, 2].map((slow) => {
      const histogram = new Histogram();
      for (let n = 0; n < 100; n += 1) histogram.add(n < slow ? 500 : 1);
      return histogram.percentile(0.99);
    });
    expect(one).toBeLessThan(1.1);
    expect(two).toBeGreaterThan(490);
  });

  test('nothing measured is not nothing slow', () => {
    expect(new Histogram().percentile(0.99)).toBeNaN();
  });
});

describe("k6's stream", () => {
  const header =
    'metric_name,timestamp,metric_value,error_code,name,proto,scenario,status,extra_tags,metadata';
  const line = (
    /** @type {string} */ metric,
    /** @type {number} */ second,
    /** @type {number} */ value,
    { scenario = 'product-10', status = '200', code = '' } = {},
  ) => `${metric},${second},${value}.000000,${code},x,HTTP/1.1,${scenario},${status},route=p,`;

  /** @param {string[]} lines */
  function windowsOf(lines) {
    /** @type {import('../../scripts/k6/timeline').Window[]} */
    const windows = [];
    const timeline = createTimeline((window) => windows.push(window));
    const read = csvReader();
    for (const text of [header, ...lines]) {
      const sample = read(text);
      if (sample) timeline.add(sample);
    }
    const early = windows.length;
    timeline.end();
    return { windows, early, failures: timeline.failures };
  }

  test('becomes one window a second, closed when no late sample can come', () => {
    const { windows, early } = windowsOf([
      line('http_req_duration', 100, 4),
      line('http_req_waiting', 100, 999),
      line('http_req_duration', 101, 8),
      line('errors', 101, 1),
      line('dropped_iterations', 101, 3),
      line('http_req_duration', 100, 6),
      line('http_req_duration', 105, 1),
    ]);
    expect(early).toBe(2);
    expect(windows).toHaveLength(3);
    expect(windows[0]).toMatchObject({ t: 100, rps: 2, maxMs: 6, errors: 0, dropped: 0 });
    expect(windows[1]).toMatchObject({ t: 101, rps: 1, maxMs: 8, errors: 1, dropped: 3 });
  });

  test('does not count the setup and the warm-up', () => {
    const { windows } = windowsOf([
      line('http_req_duration', 1, 4, { scenario: '' }),
      line('http_req_duration', 1, 4, { scenario: 'warm-up' }),
    ]);
    expect(windows).toEqual([]);
  });

  test('tells what failed replies said', () => {
    const { failures } = windowsOf([
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '0', code: '1050' }),
    ]);
    expect(Object.fromEntries(failures)).toEqual({ 503: 2, 'error 1050': 1 });
  });
});

describe('the search for the breaking point', () => {
  /** @param {(rate: number, sustained: boolean) => boolean} holds @param {object} [more] */
  async function search(holds, more) {
    /** @type {number[]} */
    const asked = [];
    const probe = async (/** @type {number} */ rate, /** @type {boolean} */ sustained) => {
      asked.push(rate);
      return { rate, ok: holds(rate, sustained), figures: `${rate}` };
    };
    const result = await findBreakpoint({ probe, from: 500, limit: 64_000, ...more });
    return { ...result, asked };
  }

  test('finds it within five per cent, from below, in few probes', async () => {
    const { held, broke, asked } = await search((rate) => rate <= 3170);
    expect(held?.rate).toBeLessThanOrEqual(3170);
    expect(held?.rate).toBeGreaterThan(3170 * 0.95);
    expect(broke?.rate).toBeGreaterThan(3170);
    expect(asked.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
    expect(asked.length).toBeLessThan(12);
  });

  test('goes below a rate that breaks only when it is held', async () => {
    const { held, broke } = await search((rate, sustained) => rate <= (sustained ? 2500 : 3000));
    expect(held?.rate).toBeLessThanOrEqual(2500);
    expect(held?.rate).toBeGreaterThan(2000);
    expect(broke?.rate).toBeGreaterThan(2500);
  });

  test('ends at the limit, and at a service that holds nothing', async () => {
    const all = await search(() => true, { limit: 3000 });
    expect([all.held?.rate, all.broke]).toEqual([3000, undefined]);
    const none = await search(() => false);
    expect([none.held, none.broke?.rate]).toEqual([undefined, 1]);
  });
});

describe('figures of the server', () => {
  const scraped = (/** @type {number} */ cpu, /** @type {number} */ database) =>
    parseMetrics(
      [
        '# HELP process_cpu_seconds_total text',
        `process_cpu_seconds_total ${cpu}`,
        'process_resident_memory_bytes 1.048576e+08',
        `catalog_reads_total{tier="database"} ${database}`,
        'catalog_reads_total{tier="a \\"b\\""} 0',
        '',
      ].join('\n'),
    );

  test('counters become rates, workers stay apart, tiers are summed', () => {
    const before = totals([scraped(1, 10), scraped(2, 20)]);
    const now = totals([scraped(1.5, 40), scraped(2.1, 50)]);
    const groups = between(before, now, 2);
    expect(groups.cpu['worker 1']).toBeCloseTo(0.25);
    expect(groups.cpu['worker 2']).toBeCloseTo(0.05);
    expect(groups.memory).toEqual({ 'worker 1': 100, 'worker 2': 100 });
    expect(groups.cache.database).toBe(30);
  });

  test('a worker that was started again shows no negative rate', () => {
    const groups = between(totals([scraped(50, 900)]), totals([scraped(1, 5)]), 1);
    expect(groups.cpu).toEqual({});
  });

  test('every metric that is drawn is one that a worker has', () => {
    const nothing = /** @type {any} */ ({}); // gauges are read at a scrape, and there is none
    const registry = createMetrics(/** @type {any} */ (new EventEmitter()), nothing);
    const known = registry.getMetricsAsArray().map(({ name }) => name);
    registry.clear();
    expect(known).toEqual(expect.arrayContaining(table.map(({ metric }) => metric)));
  });

  test('reads the CPU of a machine and of a process whose name is a trap', () => {
    expect(machineTicks('cpu  10 1 5 1000 30 2 3 4 0 0\ncpu0 1 1 1 1\n')).toEqual({
      busy: 25,
      stolen: 4,
    });
    const stat = `42 (k6) 1 2 (x)) S ${Array.from({ length: 40 }, (_, n) => n).join(' ')}`;
    expect(processTicks(stat)).toBe(10 + 11);
  });
});

describe('a soak', () => {
  /** @param {(minute: number) => number} memory */
  const points = (memory) =>
    Array.from({ length: 90 }, (_, minute) => ({
      t: minute * 60,
      groups: { memory: { 'worker 1': memory(minute) } },
    }));

  test('tells a leak from a cache that fills and from noise', () => {
    const [leak] = growthOf(points((minute) => 100 + minute));
    expect(leak.ok).toBe(false);
    expect(leak.perHour).toBeCloseTo(60);
    const [filling] = growthOf(points((minute) => 100 + Math.min(minute, 20)));
    expect(filling.ok).toBe(true);
    const [noisy] = growthOf(points((minute) => 100 + 10 * (minute % 2)));
    expect(noisy.ok).toBe(true);
  });

  test('of a moment tells nothing', () => {
    expect(growthOf(points(() => 1).slice(0, 3))).toEqual([]);
  });
});

describe('the recorder', () => {
  test('draws a gap while a worker is silent, and no jump when it is back', async () => {
    let asked = 0;
    const server = http.createServer((request, response) => {
      asked += 1;
      if (asked === 3) return void response.writeHead(500).end();
      response.end(`catalog_reads_total{tier="l1"} ${1e9 + asked}\n`);
    });
    await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    /** @type {import('../../scripts/k6/recorder').ServerPoint[]} */
    const points = [];
    const recorder = startRecorder({
      metrics: [`http://127.0.0.1:${port}/metrics`],
      local: false,
      everyMs: 20,
      onPoint: (point) => points.push(point),
    });
    recorder.watch(process.pid);
    await until(() => asked > 6);
    recorder.stop();
    server.close().closeAllConnections();
    const rates = points.map(({ groups }) => groups.cache.l1);
    expect(rates.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...rates)).toBeLessThan(1e6); // one a scrape, not all that were ever counted
  });
});
