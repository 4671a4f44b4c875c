'use strict';
const { documents, read } = require('./sources');

/** Words as `wc -w` counts them. @param {string} text */
const wordsIn = (text) => text.split(/\s+/).filter(Boolean).length;
const isPage = (/** @type {string} */ file) => /^scripts\/runbook\/(?!README)/.test(file);

describe('the length of documents', () => {
  test.each(documents().filter((file) => /README\.md$/.test(file)))('%s fits its limit of lines', (file) => {
    expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(file === 'README.md' ? 150 : 120);
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
