'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { picture } = require('./picture');
const { readResults } = require('./report');
const { summaryText } = require('./text');

/**
 * The figures that the README tells. results/ is ignored by git and the top level of the tree is full, so they lie
 * beside what measured them.
 */
const measured = {
  json: path.join(__dirname, 'measured.json'),
  svg: path.join(__dirname, 'measured.svg'),
};
const readme = path.join(root, 'README.md');
const markers = /(<!-- measured: npm run bench -- readme -->\n)[\s\S]*?(<!-- \/measured -->)/;

/**
 * @param {string} document with the two markers
 * @param {import('./bars').Results} results
 * @returns {string} the document with what the results say between them
 */
function withFigures(document, results) {
  if (!markers.test(document)) throw new Error('README.md has lost its "measured" markers');
  return document.replace(
    markers,
    (_, start, end) => `${start}\n${summaryText(results)}\n\n${end}`,
  );
}

/** @param {string} file a bench.json, to become what the README tells */
function publish(file) {
  const results = readResults(file);
  fs.writeFileSync(measured.json, `${JSON.stringify(results, null, 2)}\n`);
  fs.writeFileSync(measured.svg, picture(results));
  fs.writeFileSync(readme, withFigures(fs.readFileSync(readme, 'utf8'), results));
}

module.exports = { measured, publish, withFigures };
