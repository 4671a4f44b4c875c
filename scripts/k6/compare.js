'use strict';
const { table } = require('../lib/markdown');
const { circumstances } = require('./markdown');
const { nameIn, shown, shownMs } = require('./model');
const { differences, namesakesOf } = require('./partners');

/** @typedef {import('./model').Run} Run */
/** @typedef {import('./model').Figures} Figures */

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
 * @param {boolean} [lessIsBetter] without it nothing is judged
 */
const row = (name, a, b, show, lessIsBetter) => {
  const ratio = b / a;
  const verdict = lessIsBetter === undefined ? '' : judgement(ratio, lessIsBetter);
  return [name, show(a), show(b), Number.isFinite(ratio) ? `${shown(ratio, 2)} ×` : '', verdict];
};

/**
 * @param {string} name @param {Figures} a @param {Figures} b @param {boolean} isJudged
 * @returns {string[][]}
 */
function rowsOf(name, a, b, isJudged) {
  const [less, more] = isJudged ? [true, false] : [];
  const faster = Math.min(a.p99Ms, b.p99Ms) > 0 ? less : undefined; // 0: it answered nothing
  /** @param {string} what @param {number} inA @param {number} inB */
  const counted = (what, inA, inB) => (inA + inB > 0 ? [row(`${name} ${what}`, inA, inB, shown, less)] : []);
  return [
    // Of a mix only the whole: its routes are drawn, so how often each comes differs from run to run.
    ...(a.rate === undefined ? [] : [row(`${name} answered/s`, Number(a.rps), Number(b.rps), shown, more)]),
    row(`${name} p50 ms`, a.p50Ms, b.p50Ms, shownMs, faster),
    row(`${name} p99 ms`, a.p99Ms, b.p99Ms, shownMs, faster),
    ...counted('errors', a.errors, b.errors),
    ...counted('dropped', a.dropped ?? 0, b.dropped ?? 0),
    // Of k6, not of the service: it says how far to trust the others.
    ...(a.lateMs === undefined || b.lateMs === undefined
      ? []
      : [row(`${name} late p99 ms`, a.lateMs, b.lateMs, shownMs)]),
  ];
}

/** @param {string} letter @param {Run} run */
function heading(letter, run) {
  const budgets = [...new Set(run.rows.map(({ budgetMs }) => budgetMs))];
  return `${letter}: ${run.test}, ${circumstances(run)}; budget ${budgets.join(' and ')} ms`;
}

/**
 * Two runs side by side.
 * @param {Run} a @param {Run} b
 * @returns {string} Markdown; what only one of them has is left out
 */
function compare(a, b) {
  const foundInB = sustained(b);
  /** @type {Set<string>} */
  const differing = new Set();
  const isAlike = (/** @type {Figures} */ inA, /** @type {Figures} */ inB) => {
    const terms = differences(a, b, inA, inB);
    for (const term of terms) differing.add(term);
    return terms.length === 0;
  };
  const latencies = [...namesakesOf(a, b)].flatMap(([inA, inB]) => rowsOf(nameIn(a, inA), inA, inB, isAlike(inA, inB)));
  const rates = [...sustained(a)].flatMap(([route, held]) => {
    const other = foundInB.get(route);
    if (other === undefined) return [];
    const [inA, inB] = [a, b].map(({ rows }) => rows.find((figures) => figures.route === route));
    const isJudged = !inA || !inB || isAlike(inA, inB);
    return [row(`${route} sustained/s`, held, other, shown, isJudged ? false : undefined)];
  });
  const rows = [...rates, ...latencies];
  if (rows.length === 0) return `nothing in common: ${a.test} and ${b.test}\n`;
  const unjudged = differing.size > 0 ? [`No verdict where they differ: ${[...differing].join(', ')}.`] : [];
  const names = `${heading('A', a)}\n${heading('B', b)}`;
  return `${[names, ...unjudged, table(['', 'A', 'B', 'B to A', ''], rows)].join('\n\n')}\n`;
}

module.exports = { compare };
