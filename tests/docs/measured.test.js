'use strict';
const fs = require('node:fs');
const { picture } = require('../../scripts/bench/picture');
const { documents, measured, withFigures } = require('../../scripts/bench/readme');
const { readResults } = require('../../scripts/bench/report');
const { read } = require('./sources');

test.each(documents)('$file tells what was measured, as npm run bench -- readme wrote it', (one) => {
  const document = fs.readFileSync(one.file, 'utf8');
  expect(withFigures(document, one.render(readResults(measured.json)))).toBe(document);
});

test('the picture shows the same figures', () => {
  expect(fs.readFileSync(measured.svg, 'utf8')).toBe(picture(readResults(measured.json)));
});

describe('what the README tells of faults', () => {
  const faults = read('scripts/faults/measured.md')
    .split(/^(?=\| \*\*)/m)
    .slice(1)
    .map((text) => ({ id: text.slice(4, text.indexOf('**', 4)), text, passed: /\*\*pass\*\* \|$/m.test(text) }));
  const readme = read('README.md');
  /** Both halves of a fault count. @param {RegExp} ids @param {RegExp} what with the number @returns {string} their sum */
  const sum = (ids, what) =>
    faults
      .filter(({ id }) => ids.test(id))
      .flatMap(({ text }) => [...text.matchAll(what)].map(([, count]) => Number(count)))
      .reduce((total, count) => total + count, 0)
      .toLocaleString('en');
  const ofPostgres = /^(P2|P3|P5|P6|P8|P9)/;

  test('is what was measured', () => {
    expect(readme).toContain(`${faults.filter(({ passed }) => passed).length} of the ${faults.length} faults`);
    expect(readme).toContain(`| 0 of ${sum(/^R/, /requests of (\d+) not answered 200 \| 0 \| 0 \|/g)} | 0 |`);
    expect(readme).toContain(
      `| 0 of ${sum(ofPostgres, /reads of (\d+) that L1 has not answered 200 \| 0 \| 0 \|/g)} reads`,
    );
    const all = sum(ofPostgres, /requests of (\d+) neither 200 nor 503 \| 0 \| 0 \|/g);
    const refused = sum(ofPostgres, /503 of (\d+) without Retry-After \| 0 \| 0 \|/g);
    expect(readme).toContain(`of all ${all} requests ${refused} got a 503`);
  });
});
