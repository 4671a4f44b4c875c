'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
const { picture } = require('./picture');
const { defaults, readResults } = require('./report');
const { figuresText, summaryText } = require('./text');
/** @import { Results } from './bars' */

/**
 * The figures that the README tells. results/ is ignored by git and the top level of the tree is full, so they lie
 * beside what measured them.
 */
const measured = {
  json: path.join(__dirname, 'measured.json'),
  svg: path.join(__dirname, 'measured.svg'),
};
/** Which document tells what of them. */
const documents = [
  { file: path.join(root, 'README.md'), render: summaryText },
  { file: path.join(__dirname, 'README.md'), render: figuresText },
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

/**
 * Figures that stand beside each other were measured on one machine, of the size and for as long as the README says; and none
 * that it told before goes missing.
 * @param {Results} results @param {string[]} known names of parts
 */
function requireWhole({ machine, parts }, known) {
  const missing = known.find((name) => !parts[name]);
  if (missing) throw new Error(`${missing} is not among them: npm run bench -- ${missing}`);
  for (const { name, ...part } of Object.values(parts)) {
    if (part.machine !== machine)
      throw new Error(`${name} was measured on ${part.machine}, not here: npm run bench -- ${name}`);
    if (part.products < defaults.products || part.rounds < defaults.rounds || part.seconds < defaults.seconds)
      throw new Error(
        `${name} was measured with fewer products, rounds or seconds than usual: npm run bench -- ${name}`,
      );
  }
}

/** @param {string} file a bench.json, to become what the READMEs tell */
function publish(file) {
  const results = readResults(file);
  requireWhole(results, Object.keys(readResults(measured.json).parts));
  fs.writeFileSync(measured.json, `${JSON.stringify(results, null, 2)}\n`);
  fs.writeFileSync(measured.svg, picture(results));
  for (const { file: document, render } of documents)
    fs.writeFileSync(document, withFigures(fs.readFileSync(document, 'utf8'), render(results)));
}

module.exports = { documents, measured, publish, requireWhole, withFigures };
