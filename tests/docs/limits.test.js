'use strict';
const path = require('node:path');
const { documents, read, trackedFiles } = require('./sources');

const linesIn = (/** @type {string} */ file) => read(file).trimEnd().split('\n').length;
/** Words as `wc -w` counts them. @param {string} text */
const wordsIn = (text) => text.split(/\s+/).filter(Boolean).length;
const isPage = (/** @type {string} */ file) => /^scripts\/runbook\/(?!README)/.test(file);

describe('the length of documents', () => {
  test.each(documents().filter((file) => /README\.md$/.test(file)))('%s fits its limit of lines', (file) => {
    expect(linesIn(file)).toBeLessThanOrEqual(file === 'README.md' ? 150 : 120);
  });

  test.each(documents().filter(isPage))('%s has at most 300 words beside its commands', (page) => {
    expect(wordsIn(read(page).replace(/^```[^]*?^```$/gm, ''))).toBeLessThanOrEqual(300);
  });

  test('documents other than changelog and runbook have at most 16,000 words in all', () => {
    const counted = documents().filter((file) => file !== 'CHANGELOG.md' && !file.startsWith('scripts/runbook/'));
    const words = Object.fromEntries(counted.map((file) => [file, wordsIn(read(file))]));
    const sum = Object.values(words).reduce((total, each) => total + each, 0);
    expect({ sum, words: sum > 16_000 && words }).toEqual({ sum: expect.any(Number), words: false });
  });
});

test('the storefront to copy has fewer than 400 lines, and each file fits on a screen', () => {
  const files = trackedFiles('server/client/example').filter((file) => !/README\.md$|lock\.json$/.test(file));
  const lines = Object.fromEntries(files.map((file) => [path.basename(file), linesIn(file)]));
  expect(Object.entries(lines).filter(([, count]) => count > 60)).toEqual([]);
  expect(Object.values(lines).reduce((sum, each) => sum + each, 0)).toBeLessThan(400);
  expect(files.filter((file) => /.{121}/.test(read(file)))).toEqual([]);
});
