'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { picture } = require('./picture');
const { readResults } = require('./report');
const { figuresText, summaryText } = require('./text');

/**
 * The figures that the README tells. results/ is ignored by git and the top level of the tree is full, so they lie
 * beside what measured them.
 */
const measured = {
  json: path.join(__dirname, 'measured.json'),
  svg: path.join(__dirname, 'measured.svg'),
};
/** Which document tells what of them. */
const told = [
  { file: path.join(root, 'README.md'), tell: summaryText },
  { file: path.join(__dirname, 'README.md'), tell: figuresText },
];
const markers = /(<!-- measured: npm run bench -- readme -->\n)[\s\S]*?(<!-- \/measured -->)/;

/**
 * @param {string} document with the two markers
 * @param {string} text
 * @returns {string} the document with the text between them
 */
function withFigures(document, text) {
  if (!markers.test(document)) throw new Error('a README has lost its "measured" markers');
  return document.replace(markers, (_, start, end) => `${start}\n${text}\n\n${end}`);
}

/** @param {string} file a bench.json, to become what the READMEs tell */
function publish(file) {
  const results = readResults(file);
  fs.writeFileSync(measured.json, `${JSON.stringify(results, null, 2)}\n`);
  fs.writeFileSync(measured.svg, picture(results));
  for (const { file: document, tell } of told)
    fs.writeFileSync(document, withFigures(fs.readFileSync(document, 'utf8'), tell(results)));
}

module.exports = { measured, publish, told, withFigures };
