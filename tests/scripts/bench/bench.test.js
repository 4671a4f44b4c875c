'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { quantile } = require('../../lab/testbed/quantile');
const { median, parseWrk, rowsOf } = require('../../lab/bench/measure');
const { startFront } = require('../../lab/bench/own-servers');
const { runParts } = require('../../lab/bench/report');
const { stopAll } = require('../../lab/bench/running');

/** @typedef {import('../../lab/bench/report').Part} Part */

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));
const options = { products: 1_000_011, rounds: 2, seconds: 1, say: () => {}, folder: dir };

const wrkOutput = (/** @type {string} */ trouble) => `
  Latency Distribution
     50%  812.00us
     99%    4.62ms
  50322 requests in 5.00s, 12.00MB read
${trouble}Requests/sec:  10064.40
`;

test('reads rate, p99 and every kind of error from wrk, and fails when it measured nothing', () => {
  expect(parseWrk(wrkOutput(''))).toEqual({ rps: 10064.4, p99Ms: 4.62, errors: 0 });
  const trouble = '  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 4\n';
  expect(parseWrk(wrkOutput(trouble)).errors).toBe(10);
  expect(() => parseWrk('unable to connect')).toThrow('measured nothing');
});

test('a quantile is a measured value', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0.01, 0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([1, 50, 99, 100]);
  expect([quantile([7], 0.01), quantile([], 0.99), median([9, 1, 5])]).toEqual([7, NaN, 5]);
});

test('servers are measured in turn, and their row has the median and every error', async () => {
  const runs = [
    { rps: 100, p99Ms: 9, errors: 1 },
    { rps: 300, p99Ms: 1, errors: 2 },
  ];
  /** @type {string[]} */
  const order = [];
  const measure = (/** @type {string} */ name) => async () => runs[order.push(name) >> 1] ?? runs[1];
  const rows = await rowsOf('list', { a: measure('a'), b: measure('b') }, options);
  expect(order).toEqual(['a', 'b', 'a', 'b']);
  expect(rows[0]).toEqual({ route: 'list', what: 'a', rps: 100, p99Ms: 1, errors: 3 });
});

describe('a run', () => {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  afterAll(() => printed.mockRestore());
  const fine = { what: 'fine', route: 'list', atMost: 450, is: 450 };
  const slow = { what: 'slow', atLeast: 2, is: 1.9 };
  const unknown = { what: 'unknown', atLeast: 2, is: NaN };
  const part = (/** @type {Part['targets']} */ targets, errors = 0) => ({
    rows: [{ route: 'styles', what: 'pgbench', rps: 51_447.2, p99Ms: NaN, errors }],
    targets,
  });
  /** @param {Record<string, () => Promise<Part>>} parts */
  async function run(parts) {
    printed.mockClear();
    const status = await runParts(parts, options);
    const text = printed.mock.calls.join('\n').replaceAll(/ +/g, ' ');
    return { status, text, file: JSON.parse(fs.readFileSync(String(printed.mock.lastCall), 'utf8')) };
  }

  test('shows the verdict on each target and the figures of each server, and keeps them in a file', async () => {
    const { text, file } = await run({ cold: async () => part([slow, fine, unknown]) });
    expect(text).toContain('| slow | ≥ 2 | 1.9 | missed |');
    expect(text).toContain('| list: fine | ≤ 450 | 450 | met |');
    expect(text).toContain('| unknown | ≥ 2 | | not measured |');
    expect(text).toContain('| route | server | requests/s | p99 ms | errors |');
    expect(text).toContain('| styles | pgbench | 51,447 | | 0 |');
    expect(file).toMatchObject({ products: 1_000_011, parts: [{ name: 'cold', rows: [{ rps: 51_447.2 }] }] });
  });

  test.each([
    [0, part([fine])],
    [1, part([fine, slow])],
    [1, part([fine], 1)],
    [2, part([slow, unknown])],
  ])('ends with status %d', async (wanted, made) => {
    expect((await run({ cold: async () => made })).status).toBe(wanted);
  });

  test('that fails in one part measures the others', async () => {
    const { status, text, file } = await run({
      load: () => Promise.reject(new Error('no such thing')),
      cold: async () => part([fine]),
    });
    expect([status, file.parts.length]).toEqual([2, 2]);
    expect(text).toContain('**Failed**: no such thing');
  });
});

test('the end of a part removes nginx and its cache in memory', async () => {
  await startFront({ dir }, [{ port: 1 }]);
  const config = fs.readFileSync(path.join(dir, 'nginx-front/nginx.conf'), 'utf8');
  const [, cache] = /^\s*proxy_cache_path "([^"]+)"/m.exec(config) ?? [];
  expect(fs.existsSync(String(cache))).toBe(true);
  await stopAll();
  if (cache?.startsWith('/dev/shm')) expect(fs.existsSync(cache)).toBe(false);
});
