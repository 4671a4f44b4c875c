'use strict';
const fs = require('node:fs');

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

/**
 * A tool that ended badly without naming a failed test (a syntax error, a crash) counts as one failure.
 * @param {Count} count @param {number} status
 * @returns {Count}
 */
const honest = (count, status) => (status !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count);

/**
 * @param {string} file of `jest --json --outputFile`
 * @param {number} status
 * @returns {Count}
 */
function readJestReport(file, status) {
  if (!fs.existsSync(file)) return honest({ passed: 0, failed: 0, skipped: 0 }, status);
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  const count = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  return honest(count, status);
}

/**
 * pytest tells them itself.
 * @param {string} file of `jest --json --outputFile`
 * @returns {string[]} why tests of Jest were skipped, as their titles say (tests/helpers/skip.js), each reason once
 */
function skipReasons(file) {
  if (!fs.existsSync(file)) return [];
  const suites = JSON.parse(fs.readFileSync(file, 'utf8')).testResults;
  /** @type {{ ancestorTitles: string[], title: string }[]} */
  const tests = suites.flatMap((/** @type {any} */ { assertionResults }) => assertionResults);
  const titles = tests.flatMap(({ ancestorTitles, title }) => [...ancestorTitles, title]);
  return [...new Set(titles.flatMap((title) => /\(skipped: (.+)\)$/.exec(title)?.[1] ?? []))];
}

/**
 * @param {string} file of `pytest --junitxml`
 * @param {number} status
 * @returns {Count}
 */
function readJunitReport(file, status) {
  const xml = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const suite = /<testsuite [^>]*>/.exec(xml)?.[0] ?? '';
  /** @param {string} name */
  const attribute = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = attribute('failures') + attribute('errors');
  const skipped = attribute('skipped');
  const passed = Math.max(0, attribute('tests') - failed - skipped);
  return honest({ passed, failed, skipped }, status);
}

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

module.exports = { readJestReport, readJunitReport, skipReasons, summaryLine };
