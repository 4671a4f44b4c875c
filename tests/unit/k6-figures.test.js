'use strict';

const { Histogram } = require('../../scripts/k6/histogram');
const { csvReader } = require('../../scripts/k6/samples');
const { createTimeline } = require('../../scripts/k6/timeline');

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
  const header = 'metric_name,timestamp,metric_value,error_code,name,proto,scenario,status,extra_tags,metadata';
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

  test('tells what failed replies said, and takes none of them for a fast answer', () => {
    const { failures, windows } = windowsOf([
      line('http_req_duration', 1, 9),
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '0', code: '1050' }),
    ]);
    expect(Object.fromEntries(failures)).toEqual({ 503: 2, 'error 1050': 1 });
    expect(windows).toMatchObject([{ rps: 1, p50Ms: expect.closeTo(9, 1) }]);
  });
});
