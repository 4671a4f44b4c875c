'use strict';
const path = require('node:path');

const { runTool } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');

const program = [process.execPath, path.join(root, 'tests/lab/faults.js')];

/** @param {string} words @param {string} [products] @param {string[]} [before] */
const faults = (words, products = '300', before = []) =>
  runTool([...before, ...program, ...`${words} --short --rate 100 --products ${products}`.split(' ')], {
    keepOutput: true,
  });

describe('npm run faults ends with status', () => {
  /** One of each kind; without --short all are made, and times are judged. */
  const ids = 'R2 R3 R4 R5 R7 R10 P2a P2b P3a P6 P9 N1 N2 N3 N7 N9a F1 F2 F3 F4 F5 S1 S2 S3 S5 S7';

  test('0 when clients get what is promised, or 2 where a fault cannot be made', async () => {
    const { status, output } = await faults(ids);
    const missing = output.includes('SKIPPED ');
    expect(status === (missing ? 2 : 0) ? '' : output).toBe('');
    for (const id of ids.split(' ')) expect(output).toMatch(new RegExp(`(✓|SKIPPED) ${id} `));
  }, 600_000);

  test('1 when a limit is missed, with each figure that misses', async () => {
    const { status, output } = await faults('R2', '1'); // so few have no path that L1 lacks
    expect(output).toMatch(/✕ R2 [^]*"notAnswered": 0,\n[^]*"notAnswered": \d/);
    expect(status).toBe(1);
  }, 120_000);

  test('2 when a fault could not be made, with the reason', async () => {
    const { status, output } = await faults('N9d', '300', ['prlimit', '--nofile=4096:4096']);
    expect(output).toContain('(skipped: needs ulimit -n of 12000, it is 4096)');
    expect(status).toBe(2);
  }, 120_000);
});
