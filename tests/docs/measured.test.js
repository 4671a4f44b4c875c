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

test('the README counts the missed bars of its table, and names their parts', () => {
  const readme = read('README.md');
  const bars = [...readme.matchAll(/^\| (`\w+`) \|.*\| (met|MISSED) \|$/gm)];
  const missed = bars.filter(([, , verdict]) => verdict === 'MISSED').map(([, part]) => part);
  const parts = [...new Set(missed)].join(', ').replace(/, (?=[^,]*$)/, ' and ');
  expect(readme).toContain(
    `${missed.length} of the ${bars.length} bars of [Measured](#measured) are missed: in ${parts}.`,
  );
});

describe('what the README tells of faults', () => {
  const faults = read('scripts/faults/measured.md')
    .split(/^(?=\| \*\*)/m)
    .slice(1)
    .map((text) => ({ id: text.slice(4, text.indexOf('**', 4)), text, passed: /\*\*pass\*\* \|$/m.test(text) }));
  const readme = read('README.md');
  /** Both halves of a fault count. @param {RegExp} ids @param {RegExp} what with the numbers of those asked and of those that failed */
  const sum = (ids, what) => {
    const found = faults.filter(({ id }) => ids.test(id)).flatMap(({ text }) => [...text.matchAll(what)]);
    const [asked, failed] = [1, 2].map((place) => found.reduce((total, numbers) => total + Number(numbers[place]), 0));
    return { failed, asked: asked.toLocaleString('en') };
  };
  const ofPostgres = /^(P2|P3|P5|P6|P8|P9)/;

  test('is what was measured', () => {
    expect(readme).toContain(`${faults.filter(({ passed }) => passed).length} of the ${faults.length} faults`);
    const redis = sum(/^R/, /requests of (\d+) not answered 200 \| 0 \| (\d+) \|/g);
    expect(readme).toContain(`| ${redis.failed} of ${redis.asked} | 0 |`);
    const held = sum(ofPostgres, /reads of (\d+) that L1 has not answered 200 \| 0 \| (\d+) \|/g);
    expect(readme).toContain(`| ${held.failed} of ${held.asked} reads`);
    const all = sum(ofPostgres, /requests of (\d+) neither 200 nor 503 \| 0 \| (\d+) \|/g);
    const refused = sum(ofPostgres, /503 of (\d+) without Retry-After \| 0 \| (\d+) \|/g);
    expect(readme).toContain(`of all ${all.asked} requests ${refused.asked} got a 503`);
    expect([all.failed, refused.failed]).toEqual([0, 0]);
  });
});
