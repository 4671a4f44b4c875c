'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { machine } = require('../lib/machine');
const { table } = require('../lib/markdown');
const { root } = require('../lib/runtime');

/**
 * @typedef {object} Row
 * @property {string} route
 * @property {string} what
 * @property {number} [rps]
 * @property {number} [p99Ms]
 * @property {number} [seconds]
 * @property {number} [memoryMb]
 * @property {number} [errors]
 */

/**
 * @typedef {object} Bar a ratio or amount with its limit; exactly one of atLeast and atMost
 * @property {string} what
 * @property {number} is
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

/** @typedef {{ name: string, rows: Row[], bars: Bar[] }} Part */

/** A figure that could not be taken (no peer on this machine) meets no bar and misses none. @param {Bar} bar */
function verdict({ is, atLeast = -Infinity, atMost = Infinity }) {
  if (!Number.isFinite(is)) return 'not measured'; // NaN, and null once it was written as JSON
  return is >= atLeast && is <= atMost ? 'met' : 'MISSED';
}

/** @param {Bar} bar */
const limit = ({ atLeast, atMost }) => (atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`);

/** @param {number | undefined} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  value !== undefined && Number.isFinite(value)
    ? value.toLocaleString('en-US', { maximumFractionDigits: digits })
    : '';

/** @param {Part & { products: number, date: string }} part @returns {string} Markdown */
function partText({ name, rows, bars, products, date }) {
  const columns = /** @type {const} */ ([
    ['requests/s', 'rps', 0],
    ['p99 ms', 'p99Ms', 2],
    ['seconds', 'seconds', 1],
    ['memory MB', 'memoryMb', 0],
    ['errors', 'errors', 0],
  ]);
  const used = columns.filter(([, key]) => rows.some((row) => row[key] !== undefined));
  const figures = table(
    ['route', 'what', ...used.map(([head]) => head)],
    rows.map((row) => [
      row.route,
      row.what,
      ...used.map(([, key, digits]) => shown(row[key], digits)),
    ]),
  );
  const judged = table(
    ['bar', 'limit', 'measured', ''],
    bars.map((bar) => [bar.what, limit(bar), shown(bar.is, 2), verdict(bar)]),
  );
  return `## ${name}\n\n${shown(products)} products; ${date}\n\n${figures}\n\n${judged}\n`;
}

/**
 * Writes bench.json and bench.md. Parts that were not run keep their last figures, with their own date and size.
 * @param {Part[]} parts
 * @param {{ products: number, date: Date, folder?: string }} run
 * @returns {{ text: string, missed: number }} `missed`: bars of the parts that were run
 */
function writeReport(parts, { products, date, folder = path.join(root, 'results') }) {
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, 'bench.json');
  const known = fs.existsSync(json) ? JSON.parse(fs.readFileSync(json, 'utf8')).parts : {};
  const fresh = parts.map((part) => [part.name, { ...part, products, date: date.toISOString() }]);
  const all = { ...known, ...Object.fromEntries(fresh) };
  fs.writeFileSync(json, `${JSON.stringify({ machine: machine(), parts: all }, null, 2)}\n`);
  const text = `# Measured\n\n${machine()}\n\n${Object.values(all).map(partText).join('\n')}`;
  fs.writeFileSync(path.join(folder, 'bench.md'), text);
  const bars = parts.flatMap((part) => part.bars);
  return { text, missed: bars.filter((bar) => verdict(bar) === 'MISSED').length };
}

module.exports = { writeReport };
