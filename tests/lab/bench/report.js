'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { table } = require('../../../scripts/lib/markdown');
const { root } = require('../../../scripts/lib/runtime');
const { nameOf, verdict } = require('./targets');
/** @import { Part, Row, Target } from './targets' */

/**
 * @typedef {object} Run
 * @property {string} machine
 * @property {string} date
 * @property {number} products
 * @property {number} rounds
 * @property {number} seconds of each measurement
 * @property {(Part & { stolenPercent: number })[]} parts stolenPercent: share of the CPU time that the host gave to others
 */

const resultsFolder = path.join(root, 'results/bench');

/** @param {number | undefined} value @param {number} [digits] */
const shown = (value = NaN, digits = 0) =>
  Number.isFinite(value) ? value.toLocaleString('en-US', { maximumFractionDigits: digits }) : '';

const columns = /** @type {const} */ ([
  ['requests/s', 'rps', 0],
  ['p99 ms', 'p99Ms', 2],
  ['seconds', 'seconds', 1],
  ['memory MB', 'memoryMb', 0],
  ['errors', 'errors', 0],
]);

/** @param {Row[]} rows */
function figures(rows) {
  const used = columns.filter(([, key]) => rows.some((row) => row[key] !== undefined));
  return table(
    ['route', 'server', ...used.map(([head]) => head)],
    rows.map((row) => [row.route, row.what, ...used.map(([, key, digits]) => shown(row[key], digits))]),
  );
}

/** @param {Target} target @returns {string[]} */
function judged(target) {
  const { is, atLeast, atMost } = target;
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return [nameOf(target), limit, shown(is, 2), verdict(target)];
}

/** @param {Run['parts'][number]} part @returns {string} Markdown */
const partText = ({ name, rows, targets, failures = [], stolenPercent }) =>
  [
    `## ${name}`,
    ...failures.map((failure) => `**Failed**: ${failure}`),
    `The host gave ${shown(stolenPercent, 1)} % of the CPU time to others.`,
    ...(targets.length > 0 ? [table(['figure', 'target', 'measured', 'verdict'], targets.map(judged))] : []),
    ...(rows.length > 0 ? [figures(rows)] : []),
  ].join('\n\n');

/** @param {Run} run @returns {string} Markdown */
const reportText = ({ machine, date, products, rounds, seconds, parts }) =>
  [
    '# Results of npm run bench',
    `${date}; ${machine}; ${shown(products)} products; ${rounds} rounds of ${seconds} s`,
    ...parts.map(partText),
  ].join('\n\n');

/**
 * Writes the run so far: TIME.json for programs, TIME.md for people.
 * @param {Run} run @param {string} [folder]
 * @returns {string} the file for people
 */
function writeReport(run, folder = resultsFolder) {
  fs.mkdirSync(folder, { recursive: true });
  const base = path.join(folder, run.date.slice(0, 19).replaceAll(':', '-'));
  fs.writeFileSync(`${base}.json`, `${JSON.stringify(run, null, 2)}\n`);
  fs.writeFileSync(`${base}.md`, `${reportText(run)}\n`);
  return `${base}.md`;
}

/** @param {Run} run @returns {string} how many targets are met, and each other one with its figure */
function summaryText({ parts }) {
  const all = parts.flatMap(({ name, targets }) => targets.map((target) => [name, ...judged(target)]));
  const lines = all.flatMap(([part, figure, limit, is, result]) => {
    if (result === 'met') return [];
    return result === 'missed'
      ? `missed: ${part}: ${figure}: ${is}, target ${limit}`
      : `not measured: ${part}: ${figure}`;
  });
  return [`${all.length - lines.length} of ${all.length} targets met`, ...lines].join('\n');
}

module.exports = { partText, summaryText, writeReport };
