'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../lib/machine');
const { root } = require('../lib/runtime');
const { verdict } = require('./bars');
const { picture } = require('./picture');
const { reportText } = require('./text');
/** @import { Part, Results } from './bars' */

const resultsFolder = path.join(root, 'results');

/** @param {string} file @returns {Results} */
function readResults(file) {
  if (!fs.existsSync(file)) throw new Error(`${file} does not exist: run npm run bench first`);
  const results = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (typeof results.machine !== 'string' || typeof results.parts !== 'object')
    throw new Error(`${file} is not a result of npm run bench: name its bench.json`);
  return results;
}

/**
 * Writes bench.json, bench.md and bench.svg. Parts that were not run keep their last figures, with their own date
 * and size.
 * @param {Part} part
 * @param {{ products: number, date: Date, stolenPercent?: number, folder?: string }} run
 * @returns {{ text: string, missed: number }} `missed`: bars of this part
 */
function writeReport(part, { products, date, stolenPercent, folder = resultsFolder }) {
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, 'bench.json');
  const known = fs.existsSync(json) ? readResults(json).parts : {};
  const measured = { ...part, products, date: date.toISOString(), stolenPercent };
  const results = { machine: machine(), parts: { ...known, [part.name]: measured } };
  fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  const text = reportText(results);
  fs.writeFileSync(path.join(folder, 'bench.md'), text);
  fs.writeFileSync(path.join(folder, 'bench.svg'), picture(results));
  return { text, missed: part.bars.filter((bar) => verdict(bar) === 'MISSED').length };
}

module.exports = { readResults, resultsFolder, writeReport };
