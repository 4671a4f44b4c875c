'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { interruptedStatus, textOf } = require('../../../scripts/lib/command-line');
const { machine } = require('../../../scripts/lib/machine');
const { table } = require('../../../scripts/lib/markdown');
const { root } = require('../../../scripts/lib/runtime');
const { interrupted, stopAll } = require('./running');

/** @typedef {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} Options of each part */
/** One server on one route. @typedef {{ route: string, what: string, rps?: number, p99Ms?: number, seconds?: number, memoryMb?: number, errors?: number }} Row */
/**
 * A ratio or amount with its limit. `route`: when each one has a target; `is`: NaN when it could not be measured; one of `atLeast` and `atMost`.
 * @typedef {{ what: string, route?: string, is: number, atLeast?: number, atMost?: number }} Target
 */
/** `failure`: why it has no figures. @typedef {{ rows: Row[], targets: Target[], failure?: string }} Part */
/** @typedef {'met' | 'missed' | 'not measured'} Verdict */

/** A figure that could not be measured meets no target and misses none. @param {Target} target @returns {Verdict} */
function verdictOf({ is, atLeast = -Infinity, atMost = Infinity }) {
  if (!Number.isFinite(is)) return 'not measured';
  return is >= atLeast && is <= atMost ? 'met' : 'missed';
}

/** @param {number | undefined} value @param {number} digits */
const shown = (value = NaN, digits) =>
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

/** @param {Target[]} targets */
const verdicts = (targets) =>
  table(
    ['figure', 'target', 'measured', 'verdict'],
    targets.map((target) => {
      const { what, route, is, atLeast, atMost } = target;
      const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
      return [route ? `${route}: ${what}` : what, limit, shown(is, 2), verdictOf(target)];
    }),
  );

/** A server that refuses requests or has ended is fast, so every part whose rows count errors is judged by them. @param {Part} part */
function judgedByErrors({ rows, targets }) {
  const counts = rows.flatMap(({ errors }) => errors ?? []);
  const is = counts.reduce((sum, count) => sum + count, 0);
  return {
    rows,
    targets: counts.length > 0 ? [...targets, { what: 'errors of all servers', atMost: 0, is }] : targets,
  };
}

/**
 * One part after the other. The results so far are on the disk and the screen at any time.
 * @param {Record<string, (options: Options) => Promise<Part>>} parts @param {Options & { folder?: string }} options `folder` of results
 * @returns {Promise<number>} exit status; an unknown figure may be a miss too, so 2 goes before 1
 */
async function runParts(parts, { say, folder = path.join(root, 'results/bench'), ...options }) {
  const run = { machine: machine(), date: new Date().toISOString(), ...options, parts: /** @type {object[]} */ ([]) };
  const file = path.join(folder, `${run.date.slice(0, 19).replaceAll(':', '-')}.json`);
  fs.mkdirSync(folder, { recursive: true });
  /** @type {Set<Verdict>} */
  const seen = new Set();
  for (const [name, measure] of Object.entries(parts)) {
    /** @type {Part} */
    const part = await measure({ ...options, say: (line) => say(`${name}: ${line}`) }).then(
      judgedByErrors,
      (error) => ({
        rows: [],
        targets: [],
        failure: textOf(error),
      }),
    );
    await stopAll();
    if (interrupted.aborted) return interruptedStatus;
    run.parts.push({ name, ...part });
    fs.writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
    if (part.failure) seen.add('not measured');
    for (const target of part.targets) seen.add(verdictOf(target));
    const text = part.failure ? `**Failed**: ${part.failure}` : `${verdicts(part.targets)}\n\n${figures(part.rows)}`;
    console.log(`## ${name}\n\n${text}\n`);
  }
  console.log(file);
  return seen.has('not measured') ? 2 : Number(seen.has('missed'));
}

module.exports = { runParts };
