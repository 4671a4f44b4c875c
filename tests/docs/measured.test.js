'use strict';
const fs = require('node:fs');
const { picture } = require('../../scripts/bench/picture');
const { measured, told, withFigures } = require('../../scripts/bench/readme');
const { readResults } = require('../../scripts/bench/report');

test.each(told)('$file tells what was measured, as npm run bench -- readme wrote it', (one) => {
  const document = fs.readFileSync(one.file, 'utf8');
  expect(withFigures(document, one.tell(readResults(measured.json)))).toBe(document);
});

test('the picture shows the same figures', () => {
  expect(fs.readFileSync(measured.svg, 'utf8')).toBe(picture(readResults(measured.json)));
});
