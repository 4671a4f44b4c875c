'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { machine } = require('../lib/machine');
const { table } = require('../lib/markdown');
const { root } = require('../lib/runtime');
const { passed } = require('./run');

/** @typedef {import('./run').Result & { date: string, short: boolean, rate: string, products: string }} Kept */

/** @param {Kept} result */
function verdict(result) {
  if (result.skipped) return `not made: ${result.skipped}`;
  if (!passed(result)) return 'FAIL';
  return result.checks.some(({ unmeasured }) => unmeasured) ? 'not measured' : 'pass';
}

/** @param {import('./checks').Check} check */
function mark({ pass, unmeasured }) {
  if (unmeasured) return '';
  return pass ? 'pass' : 'FAIL';
}

/** @param {Kept} result @returns {string[][]} rows of the table */
function rowsOf(result) {
  const { id, title, done, checks, short, date, rate, products } = result;
  const run = `${short ? 'short, ' : ''}${rate}/s, ${products} products, ${date.slice(0, 16)}`;
  const head = [`**${id}**`, `${title}: ${done}`, '', run, `**${verdict(result)}**`];
  return [head, ...checks.map((check) => ['', check.what, check.bar, check.measured, mark(check)])];
}

/**
 * Writes faults.json and faults.md. Faults that were not made, or could not be made here, keep their last figures, with their
 * own date.
 * @param {import('./run').Result[]} results
 * @param {{ date: Date, short: boolean, rate: string, products: string, folder?: string }} run
 * @returns {string} the table of this run
 */
function writeReport(results, { date, short, rate, products, folder = path.join(root, 'results') }) {
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, 'faults.json');
  /** @type {Kept[]} */
  const known = fs.existsSync(json) ? JSON.parse(fs.readFileSync(json, 'utf8')).results : [];
  /** @type {Kept[]} */
  const fresh = results.map((result) => ({ rate, ...result, date: date.toISOString(), short, products }));
  const news = fresh.filter(({ id, skipped }) => !skipped || !known.some((one) => one.id === id));
  const all = [...known.filter(({ id }) => !news.some((one) => one.id === id)), ...news];
  fs.writeFileSync(json, `${JSON.stringify({ machine: machine(), results: all }, null, 2)}\n`);
  fs.writeFileSync(path.join(folder, 'faults.md'), text(all));
  return text(fresh);
}

/** @param {Kept[]} results */
const text = (results) =>
  `# Faults\n\n${machine()}\n\n${table(['id', 'what', 'bar', 'measured', ''], results.flatMap(rowsOf))}\n`;

module.exports = { writeReport };
