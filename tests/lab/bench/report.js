'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { table } = require('../../../scripts/lib/markdown');
const { root } = require('../../../scripts/lib/runtime');

/** @typedef {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} Options of each part */
/** One server on one route. @typedef {{ route: string, what: string, rps?: number, p99Ms?: number, seconds?: number, memoryMb?: number, errors?: number }} Row */
/**
 * A ratio or amount with its limit. `route`: when each one has a target; `is`: NaN when it could not be measured; one of `atLeast` and `atMost`.
 * @typedef {{ what: string, route?: string, is: number, atLeast?: number, atMost?: number }} Target
 */
/** `failures`: in words. @typedef {{ name: string, rows: Row[], targets: Target[], failures?: string[] }} Part */
/** `stolenPercent`: share of the CPU time that the host gave to others. @typedef {Part & { stolenPercent: number }} MeasuredPart */
/** @typedef {Omit<Options, 'say'> & { machine: string, date: string, parts: MeasuredPart[] }} Run */
/** @typedef {'met' | 'missed' | 'not measured'} Verdict */

/** A figure that could not be measured meets no target and misses none. @param {Target} target @returns {Verdict} */
function verdict({ is, atLeast = -Infinity, atMost = Infinity }) {
  if (!Number.isFinite(is)) return 'not measured';
  return is >= atLeast && is <= atMost ? 'met' : 'missed';
}

/**
 * A server that refuses requests is fast, so every part whose rows count errors is judged by them, and by servers that ended by themselves.
 * @param {Part} part @param {string[]} ended how servers ended @returns {Part}
 */
function withErrors(part, ended) {
  const counts = part.rows.flatMap(({ errors }) => errors ?? []);
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  // Known errors count even where others could not be counted.
  const errors = sum(counts.filter(Number.isFinite)) || sum(counts);
  const ofRows = counts.length > 0 ? [{ what: 'errors of all servers', atMost: 0, is: errors }] : [];
  const ofServers = { what: 'servers that ended by themselves', atMost: 0, is: ended.length };
  return { ...part, failures: ended, targets: [...part.targets, ...ofRows, ofServers] };
}

/** @param {Run} run @returns {number} exit status; an unknown figure may be a miss too, so 2 goes before 1; also of a run without a target */
function exitStatus({ parts }) {
  const verdicts = parts.flatMap(({ targets }) => targets.map(verdict));
  const isWhole = parts.every(({ targets }) => targets.length > 0);
  if (!isWhole || verdicts.length === 0 || verdicts.includes('not measured')) return 2;
  return Number(verdicts.includes('missed'));
}

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
  const { what, route, is, atLeast, atMost } = target;
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return [route ? `${route}: ${what}` : what, limit, shown(is, 2), verdict(target)];
}

/** @param {MeasuredPart} part @returns {string} Markdown */
const partText = ({ name, rows, targets, failures = [], stolenPercent }) =>
  [
    `## ${name}`,
    ...failures.map((failure) => `**Failed**: ${failure}`),
    `The host gave ${shown(stolenPercent, 1)} % of the CPU time to others.`,
    ...(targets.length > 0 ? [table(['figure', 'target', 'measured', 'verdict'], targets.map(judged))] : []),
    ...(rows.length > 0 ? [figures(rows)] : []),
  ].join('\n\n');

/**
 * Writes the run so far: TIME.json for programs, TIME.md for people.
 * @param {Run} run @param {string} [folder]
 * @returns {string} the file for people
 */
function writeReport(run, folder = path.join(root, 'results/bench')) {
  const { machine, date, products, rounds, seconds, parts } = run;
  const head = `${date}; ${machine}; ${shown(products)} products; ${rounds} rounds of ${seconds} s`;
  const text = ['# Results of npm run bench', head, ...parts.map(partText)].join('\n\n');
  fs.mkdirSync(folder, { recursive: true });
  const base = path.join(folder, date.slice(0, 19).replaceAll(':', '-'));
  fs.writeFileSync(`${base}.json`, `${JSON.stringify(run, null, 2)}\n`);
  fs.writeFileSync(`${base}.md`, `${text}\n`);
  return `${base}.md`;
}

/** @param {Run} run @returns {string} how many targets are met, and each other one with its figure */
function summaryText({ parts }) {
  const all = parts.flatMap(({ name, targets }) => targets.map((target) => [name, ...judged(target)]));
  const others = all.filter((cells) => cells[4] !== 'met');
  const lines = others.map(([part, figure, limit, is, result]) =>
    result === 'missed' ? `missed: ${part}: ${figure}: ${is}, target ${limit}` : `not measured: ${part}: ${figure}`,
  );
  return [`${all.length - others.length} of ${all.length} targets met`, ...lines].join('\n');
}

module.exports = { exitStatus, partText, summaryText, withErrors, writeReport };
