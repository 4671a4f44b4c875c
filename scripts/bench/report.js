'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
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
  if (Number.isNaN(is)) return 'not measured';
  return is >= atLeast && is <= atMost ? 'met' : 'MISSED';
}

/** @param {Bar} bar */
const limit = ({ atLeast, atMost }) => (atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`);

/** @param {number | undefined} value @param {number} [digits] */
const shown = (value, digits = 0) =>
  value === undefined || Number.isNaN(value)
    ? ''
    : value.toLocaleString('en-US', { maximumFractionDigits: digits });

/** @param {string[]} heads @param {string[][]} rows */
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** @param {Part} part @returns {string} Markdown */
function partText({ name, rows, bars }) {
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
  return `## ${name}\n\n${figures}\n\n${judged}\n`;
}

/** @returns {string} */
function machine() {
  const [cpu] = os.cpus();
  const memoryGb = os.totalmem() / 2 ** 30;
  return `${os.availableParallelism()} cores (${cpu?.model.trim()}), ${memoryGb.toFixed(0)} GB, ${os.type()} ${os.release()}, Node ${process.versions.node}`;
}

/**
 * Writes results/bench.json and results/bench.md. Parts that were not run keep their last figures.
 * @param {Part[]} parts
 * @param {{ products: number, date: Date }} run
 * @returns {{ text: string, missed: number }}
 */
function writeReport(parts, { products, date }) {
  const folder = path.join(root, 'results');
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, 'bench.json');
  const known = fs.existsSync(json) ? JSON.parse(fs.readFileSync(json, 'utf8')).parts : {};
  const fresh = Object.fromEntries(
    parts.map((part) => [part.name, { ...part, products, date: date.toISOString() }]),
  );
  fs.writeFileSync(
    json,
    `${JSON.stringify({ machine: machine(), parts: { ...known, ...fresh } }, null, 2)}\n`,
  );
  const text = `# Measured\n\n${machine()}; ${shown(products)} products; ${date.toISOString()}\n\n${parts.map(partText).join('\n')}`;
  fs.writeFileSync(path.join(folder, 'bench.md'), text);
  const missed = parts
    .flatMap(({ bars }) => bars)
    .filter((bar) => verdict(bar) === 'MISSED').length;
  return { text, missed };
}

module.exports = { writeReport };
