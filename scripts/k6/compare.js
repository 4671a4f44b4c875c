'use strict';
const { table } = require('../lib/markdown');
const { nameOf, shown, shownMs } = require('./model');

/** @typedef {import('./model').Run} Run */

/** Two runs of the same code differ by this much; less is no news. */
const noise = 1.1;

/** @param {Run} run */
const sustained = (run) => new Map(run.found?.map(({ route, held }) => [route, held ?? 0]));

/** @param {number} ratio B to A; infinite where A has none @param {boolean} lessIsBetter */
function judgement(ratio, lessIsBetter) {
  if (Number.isNaN(ratio)) return '';
  const worse = lessIsBetter ? ratio : 1 / ratio;
  return worse > noise ? 'B is worse' : worse < 1 / noise ? 'B is better' : 'alike';
}

/**
 * @param {string} name @param {number} a @param {number} b @param {(value: number) => string} show
 * @param {boolean} lessIsBetter
 */
const row = (name, a, b, show, lessIsBetter) => {
  const ratio = b / a;
  return [name, show(a), show(b), Number.isFinite(ratio) ? `${shown(ratio, 2)} ×` : '', judgement(ratio, lessIsBetter)];
};

/**
 * Two runs side by side.
 * @param {Run} a @param {Run} b
 * @returns {string} Markdown; what only one of them has is left out
 */
function compare(a, b) {
  const [inB, foundInB] = [new Map(b.rows.map((figures) => [nameOf(figures), figures])), sustained(b)];
  const latencies = a.rows.flatMap((figures) => {
    const other = inB.get(nameOf(figures));
    if (!other) return [];
    const name = nameOf(figures);
    /** @param {string} what @param {number} inA @param {number} inB */
    const counted = (what, inA, inB) => (inA + inB > 0 ? [row(`${name} ${what}`, inA, inB, shown, true)] : []);
    // Of a mix only the whole: its routes are drawn, so how often each comes differs from run to run.
    const rate =
      figures.rate === undefined
        ? []
        : [row(`${name} answered/s`, Number(figures.rps), Number(other.rps), shown, false)];
    return [
      ...rate,
      row(`${name} p50 ms`, figures.p50Ms, other.p50Ms, shownMs, true),
      row(`${name} p99 ms`, figures.p99Ms, other.p99Ms, shownMs, true),
      ...counted('errors', figures.errors, other.errors),
      ...counted('dropped', figures.dropped ?? 0, other.dropped ?? 0),
    ];
  });
  const rates = [...sustained(a)]
    .filter(([route]) => foundInB.has(route))
    .map(([route, held]) => row(`${route} sustained/s`, held, Number(foundInB.get(route)), shown, false));
  const rows = [...rates, ...latencies];
  if (rows.length === 0) return `nothing in common: ${a.test} and ${b.test}\n`;
  const names = `A: ${a.test} of ${a.started}, ${a.machine}\nB: ${b.test} of ${b.started}, ${b.machine}`;
  return `${names}\n\n${table(['', 'A', 'B', 'B to A', ''], rows)}\n`;
}

module.exports = { compare };
