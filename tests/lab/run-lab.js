'use strict';
const path = require('node:path');
const environment = require('./environment');

/**
 * Runs tests of this folder in this process, so that they share what a command has opened.
 * @param {string} files of this folder, a pattern @param {RegExp} titles
 * @param {import('./environment').Lab} lab @param {number} timeoutMs of a test
 * @returns {Promise<{ success: boolean, chosen: import('@jest/test-result').AssertionResult[] }>} tests with these titles
 */
async function runLab(files, titles, lab, timeoutMs) {
  const { runCLI } = require('jest'); // only here: it loads for longer than a wrong word takes
  environment.lab = lab;
  const what = { testPathPatterns: [files], testNamePattern: titles.source, testTimeout: timeoutMs };
  const { results } = await runCLI({ $0: 'lab', _: [], runInBand: true, ...what }, [
    path.join(__dirname, 'jest.config.js'),
  ]);
  const tests = results.testResults.flatMap((file) => file.testResults);
  return { success: results.success, chosen: tests.filter(({ fullName }) => titles.test(fullName)) };
}

exports.runLab = runLab;
