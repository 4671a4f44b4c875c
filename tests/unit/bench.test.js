'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { writeReport } = require('../../scripts/bench/report');
const { interleave, median } = require('../../scripts/bench/statistics');
const { parseWrk } = require('../../scripts/bench/wrk');

const wrkOutput = (/** @type {string} */ trouble) => `
  Latency Distribution
     50%  812.00us
     99%    4.62ms
  50322 requests in 5.00s, 12.00MB read
${trouble}Requests/sec:  10064.40
`;

describe('the benchmark', () => {
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
      expect(writeReport([{ name: 'cold', rows: [], bars }], run).missed).toBe(2);
      const { text, missed } = writeReport([{ name: 'hot', rows: [], bars: [] }], run);
      expect(missed).toBe(0);
      expect(text).toContain('| slow | ≥ 2 | 1.9 | MISSED |');
      expect(text).toContain('| no peer | ≥ 2 |  | not measured |');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
