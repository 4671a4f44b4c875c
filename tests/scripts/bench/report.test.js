'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { partText, summaryText, writeReport } = require('../../lab/bench/report');
const { exitStatus, verdict, withErrors } = require('../../lab/bench/targets');

const part = {
  name: 'cold',
  stolenPercent: 12.34,
  rows: [
    { route: 'styles', what: 'one worker', rps: 19_066.4, p99Ms: 3.456, errors: 0 },
    { route: 'styles', what: 'pgbench', rps: 51_447, p99Ms: NaN, errors: 0 },
  ],
  targets: [
    { what: 'slow', atLeast: 2, is: 1.9 },
    { what: 'fine', route: 'list', atMost: 450, is: 450 },
    { what: 'unknown', atLeast: 2, is: NaN },
  ],
};

describe('the report of bench', () => {
  test('shows target, figure and verdict, and which figure could not be measured', () => {
    const text = partText(part);
    expect(text).toContain('| slow | ≥ 2 | 1.9 | missed |');
    expect(text).toContain('| list: fine | ≤ 450 | 450 | met |');
    expect(text).toContain('| unknown | ≥ 2 |  | not measured |');
  });

  test('ends with the targets that are not met, each with its figure, if it has one', () => {
    const run = { machine: '', date: '', products: 1, rounds: 1, seconds: 1, parts: [part] };
    expect(summaryText(run).split('\n')).toEqual([
      '1 of 3 targets met',
      'missed: cold: slow: 1.9, target ≥ 2',
      'not measured: cold: unknown',
    ]);
  });

  test('shows the figures of each server and the CPU time that the host took', () => {
    const text = partText(part);
    expect(text).toContain('The host gave 12.3 % of the CPU time to others.');
    expect(text).toContain('| route | server | requests/s | p99 ms | errors |');
    expect(text).toContain('| styles | one worker | 19,066 | 3.46 | 0 |');
    expect(text).toContain('| styles | pgbench | 51,447 |  | 0 |');
  });

  test('keeps each run in two files of its own, and grows with its parts', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-bench-'));
    const run = { machine: '2 cores', products: 1_000_011, rounds: 3, seconds: 4, parts: [part] };
    const first = { ...run, date: '2026-01-01T10:00:00.000Z' };
    try {
      writeReport(first, folder);
      const file = writeReport({ ...first, parts: [part, { ...part, name: 'hot' }] }, folder);
      writeReport({ ...run, date: '2026-01-02T10:00:00.000Z' }, folder);
      const [one, other] = ['2026-01-01T10-00-00', '2026-01-02T10-00-00'];
      expect(fs.readdirSync(folder).sort()).toEqual([`${one}.json`, `${one}.md`, `${other}.json`, `${other}.md`]);
      expect(file).toBe(path.join(folder, `${one}.md`));
      expect(fs.readFileSync(file, 'utf8').match(/^## .*/gm)).toEqual(['## cold', '## hot']);
      expect(fs.readFileSync(file, 'utf8')).toContain('2 cores; 1,000,011 products; 3 rounds of 4 s');
      const { parts } = JSON.parse(fs.readFileSync(path.join(folder, `${one}.json`), 'utf8'));
      expect(parts[0].rows[0].rps).toBe(19_066.4);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

test('the exit status is 1 for a missed target, and 2 for one that was not measured, a failed part or no target', () => {
  const statuses = [
    exitStatus(['met'], []),
    exitStatus(['met', 'missed'], []),
    exitStatus(['missed', 'not measured'], []),
    exitStatus(['met'], ['cold']),
    exitStatus([], []),
  ];
  expect(statuses).toEqual([0, 1, 2, 2, 2]);
});

describe('errors', () => {
  test('judge every part whose rows count them, unless it has its own target', () => {
    const rows = [
      { route: 'list', what: 'a', errors: 2 },
      { route: 'list', what: 'b' },
    ];
    const [target] = withErrors({ name: 'cold', rows, targets: [] }).targets;
    expect([target.is, verdict(target)]).toEqual([2, 'missed']);
    const own = { name: 'steady', rows, targets: [{ what: 'errors at 1000/s', atMost: 0, is: 0 }] };
    expect(withErrors(own)).toBe(own);
    expect(withErrors({ name: 'load', rows: [], targets: [] }).targets).toEqual([]);
  });

  test.each([
    ['met', [0, 0]],
    ['not measured', [0, NaN]],
    ['missed', [3, NaN]],
  ])('are %s when the rows count %j', (expected, counts) => {
    const rows = counts.map((errors) => ({ route: 'mix', what: 'a', errors }));
    expect(withErrors({ name: 'mix', rows, targets: [] }).targets.map(verdict)).toEqual([expected]);
  });
});
