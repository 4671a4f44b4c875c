'use strict';

const { createTimeline } = require('../../../scripts/k6/timeline');
const { createLog } = require('../../../scripts/k6/launch');

describe("k6's sample stream", () => {
  const header = 'metric_name,timestamp,metric_value,error_code,name,proto,scenario,status,extra_tags,metadata';
  const line = (
    /** @type {string} */ metric,
    /** @type {number} */ second,
    /** @type {number} */ value,
    { scenario = 'product-10', status = '200', code = '' } = {},
  ) => `${metric},${second},${value}.000000,${code},x,HTTP/1.1,${scenario},${status},route=p,`;

  /** @param {string[]} lines */
  function read(lines) {
    /** @type {import('../../../scripts/k6/timeline').Window[]} */
    const windows = [];
    const timeline = createTimeline((window) => windows.push(window));
    const others = [header, ...lines].filter((text) => !timeline.add(text));
    const early = windows.length;
    timeline.end();
    return {
      windows,
      early,
      others,
      statuses: Object.fromEntries(timeline.statuses),
      differing: timeline.takeDiffering(),
    };
  }

  test('becomes one window a second, which closes when no late sample can come', () => {
    const { windows, early } = read([
      line('http_req_duration', 100, 4),
      line('http_req_waiting', 100, 999),
      line('http_req_duration', 101, 8),
      line('errors', 101, 1),
      line('dropped_iterations', 101, 3),
      line('http_req_duration', 100, 6),
      line('http_req_duration', 105, 1),
    ]);
    expect(early).toBe(2);
    expect(windows).toMatchObject([
      { t: 100, rps: 2, p99Ms: 6, errors: 0, dropped: 0, scenario: 'product-10' },
      { t: 101, rps: 1, p99Ms: 8, errors: 1, dropped: 3 },
      { t: 105 },
    ]);
  });

  test("leaves k6's own summary, which is on the same output, to the terminal", () => {
    const summary = ['', '  █ TOTAL RESULTS', '    http_reqs......: 21  2.1/s', '    ✓ body is correct'];
    expect(read([line('http_req_duration', 1, 4), line('vus', 1, 4), ...summary]).others).toEqual(summary);
  });

  test('does not count the setup, the warm-up and requests for a comparison', () => {
    const scenarios = ['', 'warm-up', 'beside'];
    expect(read(scenarios.map((scenario) => line('http_req_duration', 1, 4, { scenario }))).windows).toEqual([]);
  });

  test('counts failed replies by status or error code, and not as fast answers', () => {
    const { statuses, windows } = read([
      line('http_req_duration', 1, 9),
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '503' }),
      line('http_req_duration', 1, 4, { status: '0', code: '1050' }),
    ]);
    expect(statuses).toEqual({ 503: 2, 'error 1050': 1 });
    expect(windows).toMatchObject([{ rps: 1, p99Ms: 9 }]);
  });

  test('counts bodies that differ from the database by second, step and route', () => {
    const { differing } = read([line('differing', 7, 1), line('differing', 7, 1), line('differing', 8, 1)]);
    const place = { scenario: 'product-10', route: 'x' };
    expect(differing).toEqual([
      { second: 7, ...place, count: 2 },
      { second: 8, ...place, count: 1 },
    ]);
  });
});

describe("k6's log", () => {
  /** @param {string[]} lines */
  function read(lines) {
    /** @type {string[]} */
    const said = [];
    const log = createLog((line) => said.push(line));
    lines.forEach(log.add);
    return { ...log, said };
  }
  const entry = (/** @type {string} */ level, /** @type {string} */ text) =>
    JSON.stringify({ level, msg: text, source: 'console', time: '2026-01-02T03:04:05Z' });

  test('has the figures, and the first five failures of each step', () => {
    const failure = (/** @type {string} */ step, /** @type {number} */ id) =>
      entry(
        'error',
        `FAILED step=${step} route=styles id=${id} check="status is 200" answer="503 x" X-Request-Id=a${id}`,
      );
    const ids = [1, 2, 3, 4, 5, 6, 7];
    const { failures, summary, said } = read([
      ...ids.map((id) => failure('styles-10', id)),
      failure('mix-10', 8),
      entry('info', 'FIGURES {"rows":[],"catalog":{"rows":5,"known":5}}'),
    ]);
    expect(summary).toEqual({ rows: [], catalog: { rows: 5, known: 5 } });
    expect([...failures].map(([step, lines]) => [step, lines.length])).toEqual([
      ['styles-10', 5],
      ['mix-10', 1],
    ]);
    expect(failures.get('mix-10')).toEqual(['route=styles id=8 check="status is 200" answer="503 x" X-Request-Id=a8']);
    expect(said).toEqual([]);
  });

  test('passes on each warning of k6 once, and none for each request', () => {
    const warning = entry('warning', 'Insufficient VUs, reached 20 active VUs');
    const { said, reason } = read([warning, warning, entry('warning', 'Request Failed')]);
    expect(said).toEqual(['k6: Insufficient VUs, reached 20 active VUs']);
    expect(reason).toBeUndefined();
  });

  test('gives the error that ended k6 in one line without its stack', () => {
    const { reason } = read([
      entry('error', 'Error: the catalog is empty: load "data" first\n\tat setup (ids.js:4)'),
      entry('error', 'something later'),
    ]);
    expect(reason).toBe('the catalog is empty: load "data" first');
    expect(read(['taskset: failed to set affinity']).reason).toBe('taskset: failed to set affinity');
  });
});
