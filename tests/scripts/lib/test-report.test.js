'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { readJestReports, readJunitReport, summaryLine, wordsOfJest } = require('../../helpers/test-report');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');

const { at, write } = useFolder('report');
const none = { passed: 0, failed: 0, skipped: 0 };

test('the reason why tests were skipped is reported once', () => {
  const skipped = { ancestorTitles: ['gate (skipped: no x)'], title: 'holds (for long)' };
  const others = [{ ancestorTitles: ['part'], title: 'reads (skipped: no y (z))' }];
  const suites = [[{ ancestorTitles: [], title: 'runs' }, skipped, skipped], others];
  const testResults = suites.map((assertionResults, file) => ({ name: `${file}`, assertionResults }));
  const file = write('skipped.json', JSON.stringify({ testResults }));
  expect(readJestReports([file], 0).skipReasons).toEqual(['no x', 'no y (z)']);
});

test('a tool that ended badly without a failed test counts as one failure', () => {
  const nothing = { count: none, skipReasons: [], failedFiles: [] };
  expect(readJestReports([at('none')], 1)).toEqual({ ...nothing, count: { ...none, failed: 1 } });
  expect(readJestReports([write('files.json', '["/a.test.js"]')], 0)).toEqual(nothing); // --listTests
  const file = write('none.xml', '<testsuite errors="0" failures="0" tests="0">');
  expect(readJunitReport(file, 5)).toEqual(none); // pytest has no long test of this path
  expect(readJunitReport(file, 4)).toMatchObject({ failed: 1 });
});

test('a second run of a file replaces the first, and a file that does not run has failed', () => {
  const test = (/** @type {string} */ status) => ({ status, ancestorTitles: [], title: 'one' });
  const file = (/** @type {string} */ name, /** @type {string[]} */ ...statuses) => {
    const isWhole = statuses.length > 0 && !statuses.includes('failed');
    return { name, status: isWhole ? 'passed' : 'failed', assertionResults: statuses.map(test) };
  };
  const first = [file('a', 'passed', 'pending'), file('b', 'passed', 'failed'), file('c', 'failed'), file('d')];
  const second = [file('b', 'passed', 'passed'), file('c', 'failed'), file('d', 'passed')];
  const [once, again] = [first, second].map((testResults, run) =>
    write(`run-${run}.json`, JSON.stringify({ testResults })),
  );
  const count = { passed: 2, failed: 3, skipped: 1 };
  expect(readJestReports([once], 1)).toMatchObject({ count, failedFiles: ['b', 'c', 'd'] });
  expect(readJestReports([once, again], 1)).toMatchObject({
    count: { ...count, passed: 4, failed: 1 },
    failedFiles: ['c'],
  });
});

test('the last line adds up both tools, and a run of nothing is no success', () => {
  const counts = [
    { ...none, passed: 2, skipped: 1 },
    { ...none, passed: 3, failed: 1 },
  ];
  expect(summaryLine(counts)).toEqual({ line: '5 passed, 1 failed, 1 skipped', ok: false });
  expect(summaryLine([none])).toMatchObject({ ok: false });
});

test.each([
  [false, ['tests/e2e/start.test.js']],
  [true, ['tests/e2e/start-killed.long.test.js', 'tests/e2e/start-options.long.test.js']],
])('with long %s a pattern selects its files of that kind and no others', (long, files) => {
  const words = wordsOfJest({ long, workers: 1, report: at('listed.json') });
  const command = ['node_modules/jest/bin/jest.js', ...words, 'tests/e2e/start', '--listTests'];
  spawnSync(process.execPath, command, { cwd: root });
  /** @type {string[]} */
  const listed = JSON.parse(fs.readFileSync(at('listed.json'), 'utf8'));
  expect(listed.map((file) => path.relative(root, file)).sort()).toEqual(files);
});
