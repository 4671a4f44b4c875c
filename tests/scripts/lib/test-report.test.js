'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { readJestReport, readJunitReport, summaryLine, wordsOfJest } = require('../../../scripts/lib/test-report');
const { root } = require('../../../scripts/lib/runtime');

/** @type {string} */
let folder;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'report-'))));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** @param {string} name @param {string} text @returns {string} the file */
function write(name, text) {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

test('the reason why tests were skipped is reported once', () => {
  const skipped = { ancestorTitles: ['gate (skipped: no x)'], title: 'holds (for long)' };
  const assertionResults = [{ ancestorTitles: [], title: 'runs' }, skipped, skipped];
  const others = [{ ancestorTitles: ['part'], title: 'reads (skipped: no y (z))' }];
  const suites = [assertionResults, others].map((each) => ({ name: 'a.test.js', assertionResults: each }));
  const file = write('skipped.json', JSON.stringify({ testResults: suites }));
  expect(readJestReport(file, 0).skipReasons).toEqual(['no x', 'no y (z)']);
});

test('a Jest that ended without a report is one failure', () => {
  const count = { passed: 0, failed: 1, skipped: 0 };
  expect(readJestReport(path.join(folder, 'none'), 1)).toEqual({ count, skipReasons: [] });
});

test('a Jest that only listed its files has passed no test', () => {
  const count = { passed: 0, failed: 0, skipped: 0 };
  expect(readJestReport(write('files.json', '["/a.test.js"]'), 0)).toEqual({ count, skipReasons: [] });
});

test('the last line adds up both tools', () => {
  const counts = [
    { passed: 2, failed: 0, skipped: 1 },
    { passed: 3, failed: 1, skipped: 0 },
  ];
  expect(summaryLine(counts)).toEqual({ line: '5 passed, 1 failed, 1 skipped', ok: false });
});

test('a run of nothing is no success', () => {
  expect(summaryLine([{ passed: 0, failed: 0, skipped: 0 }])).toMatchObject({ ok: false });
});

test('a file of pytest without a long test is no failure', () => {
  const file = write('none.xml', '<testsuite errors="0" failures="0" tests="0">');
  expect(readJunitReport(file, 5)).toEqual({ passed: 0, failed: 0, skipped: 0 });
  expect(readJunitReport(file, 4)).toMatchObject({ failed: 1 });
});

test.each([
  [['start-killed'], 'npm run test:long runs it'],
  [['start-killed.long'], 'npm run test:long runs it'],
  [['--long', 'lib/locks'], 'npm test runs it'],
])('npm test refuses %j and names the command that runs it', (words, told) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/test.js', ...words], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining(told)]);
});

test.each([
  [false, ['tests/e2e/start.test.js']],
  [true, ['tests/e2e/start-killed.long.test.js', 'tests/e2e/start-options.long.test.js']],
])('with long %s a pattern selects its files of that kind and no others', (long, files) => {
  const report = path.join(folder, 'listed.json');
  const words = wordsOfJest({ long, workers: 1, report });
  const command = ['node_modules/jest/bin/jest.js', ...words, 'tests/e2e/start', '--listTests'];
  spawnSync(process.execPath, command, { cwd: root });
  const listed = JSON.parse(fs.readFileSync(report, 'utf8'));
  expect(listed.map((/** @type {string} */ file) => path.relative(root, file)).sort()).toEqual(files);
});
