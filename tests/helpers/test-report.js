'use strict';
const fs = require('node:fs');

/** The files of `npm run test:long`; in tests/etl a test has the mark `long`. */
const longFiles = '.long.test.js';

/**
 * @param {{ long: boolean, workers: number, report: string }} run
 * @returns {string[]} options of Jest, behind which patterns may follow
 */
const wordsOfJest = ({ long, workers, report }) => [
  // First, with an option behind it: Jest takes every word that follows this one as another pattern of it.
  long ? `--testMatch=**/*${longFiles}` : `--testPathIgnorePatterns=\\${longFiles}$`,
  // A test that leaves a connection open after its failure must not hold up the last line.
  ...[`--maxWorkers=${workers}`, '--forceExit', '--json', `--outputFile=${report}`],
];

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * A tool that ended badly without naming a failed test (a syntax error, a crash) counts as one failure.
 * @param {Count} count @param {number} status @returns {Count}
 */
const honest = (count, status) => (status !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count);

/** @typedef {{ name: string, status: string, assertionResults: { status: string, ancestorTitles: string[], title: string }[] }} FileResult */

/**
 * @param {string[]} files of `jest --json --outputFile`, one a run: what a later one has of a test file replaces what an earlier one has
 * @param {number} status of the last run
 * @returns {{ count: Count, skipReasons: string[], failedFiles: string[] }} `skipReasons`: why tests were skipped, as their titles say
 *   (tests/helpers/skip.js), each reason once. pytest prints its own.
 */
function readJestReports(files, status) {
  // Options such as --listTests run no test.
  const read = (/** @type {string} */ file) =>
    fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')).testResults ?? []) : [];
  /** @type {Map<string, FileResult>} */
  const results = new Map(files.flatMap(read).map((/** @type {FileResult} */ result) => [result.name, result]));
  const failed = [...results.values()].filter((result) => result.status === 'failed');
  const tests = [...results.values()].flatMap(({ assertionResults }) => assertionResults);
  const countOf = (/** @type {string[]} */ ...statuses) =>
    tests.filter((test) => statuses.includes(test.status)).length;
  // A file that does not run has no test that fails.
  const broken = failed.filter(({ assertionResults }) => assertionResults.every((test) => test.status !== 'failed'));
  const count = {
    passed: countOf('passed'),
    failed: countOf('failed') + broken.length,
    skipped: countOf('pending', 'todo'),
  };
  const titles = tests.flatMap(({ ancestorTitles, title }) => [...ancestorTitles, title]);
  const reasons = titles.flatMap((title) => /\(skipped: (.+)\)$/.exec(title)?.[1] ?? []);
  return {
    count: honest(count, status),
    skipReasons: [...new Set(reasons)],
    failedFiles: failed.map(({ name }) => name),
  };
}

/** @param {string} file of `pytest --junitxml` @param {number} status @returns {Count} */
function readJunitReport(file, status) {
  const xml = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const suite = /<testsuite [^>]*>/.exec(xml)?.[0] ?? '';
  /** @param {string} name */
  const attribute = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = attribute('failures') + attribute('errors');
  const skipped = attribute('skipped');
  const passed = Math.max(0, attribute('tests') - failed - skipped);
  return honest({ passed, failed, skipped }, status === nothingCollected ? 0 : status);
}

/** pytest found no test: of a path, none may be long. */
const nothingCollected = 5;

/**
 * @param {Count[]} counts one of each tool
 * @returns {{ line: string, ok: boolean }} the last line of `npm test`; a run of nothing is not ok
 */
function summaryLine(counts) {
  /** @param {keyof Count} name */
  const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  return {
    line: `${sum('passed')} passed, ${sum('failed')} failed${skipped}`,
    ok: sum('failed') === 0 && sum('passed') > 0,
  };
}

module.exports = { longFiles, readJestReports, readJunitReport, summaryLine, wordsOfJest };
