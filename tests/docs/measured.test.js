'use strict';
const fs = require('node:fs');
const { picture } = require('../../scripts/bench/picture');
const { measured, withFigures } = require('../../scripts/bench/readme');
const { readResults } = require('../../scripts/bench/report');
const { read } = require('./sources');

test('the README tells what was measured, as npm run bench -- readme wrote it', () => {
  const readme = read('README.md');
  expect(withFigures(readme, readResults(measured.json))).toBe(readme);
});

test('its picture shows the same figures', () => {
  expect(fs.readFileSync(measured.svg, 'utf8')).toBe(picture(readResults(measured.json)));
});
