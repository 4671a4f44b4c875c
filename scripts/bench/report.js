'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../lib/machine');
const { root } = require('../lib/runtime');
const { nameOf, verdict } = require('./bars');
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

/** Of a run that is told in the README: the options that --help names as defaults. */
const defaults = { products: 1_000_011, rounds: 3, seconds: 4 };

/**
 * Writes bench.json, bench.md and bench.svg. Parts that were not run keep their last figures, with their own date
 * and size.
 * @param {Part} part
 * @param {{ products: number, rounds: number, seconds: number, date: Date, stolenPercent?: number, folder?: string }} run
 * @returns {{ text: string, missed: string[], unmeasured: string[] }} bars of this part
 */
function writeReport(part, { products, rounds, seconds, date, stolenPercent, folder = resultsFolder }) {
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, 'bench.json');
  const known = fs.existsSync(json) ? readResults(json).parts : {};
  const here = machine();
  const measured = { ...part, machine: here, products, rounds, seconds, date: date.toISOString(), stolenPercent };
  const results = { machine: here, parts: { ...known, [part.name]: measured } };
  fs.writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  const text = reportText(results);
  fs.writeFileSync(path.join(folder, 'bench.md'), text);
  fs.writeFileSync(path.join(folder, 'bench.svg'), picture(results));
  const named = (/** @type {import('./bars').Verdict} */ wanted) =>
    part.bars.filter((bar) => verdict(bar) === wanted).map((bar) => `${part.name}: ${nameOf(bar)}`);
  return { text, missed: named('MISSED'), unmeasured: named('not measured') };
}

/**
 * @param {string[]} missed bars @param {string[]} unmeasured bars, and parts that failed
 * @returns {number} of the process; what is not known may be a miss too, so it goes first
 */
const exitStatus = (missed, unmeasured) => (unmeasured.length > 0 ? 2 : Number(missed.length > 0));

module.exports = { defaults, exitStatus, readResults, resultsFolder, writeReport };
