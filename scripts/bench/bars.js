'use strict';

/**
 * @typedef {object} Row
 * @property {string} route
 * @property {string} what
 * @property {number} [rps]
 * @property {number} [p99Ms]
 * @property {number} [seconds]
 * @property {number} [memoryMb]
 * @property {number} [diskMb]
 * @property {number} [cpuUs] of each request
 * @property {number} [queries]
 * @property {number} [errors]
 */

/**
 * @typedef {object} Bar a ratio or amount with its limit; exactly one of atLeast and atMost
 * @property {string} what
 * @property {string} [route] when each route has one
 * @property {number} is
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

/** @typedef {{ name: string, rows: Row[], bars: Bar[] }} Part */
/**
 * @typedef {object} Run
 * @property {string} machine
 * @property {number} products
 * @property {number} rounds
 * @property {number} seconds of each measurement
 * @property {string} date
 * @property {number} [stolenPercent] of the processor time that was asked for meanwhile: given to others by the host
 */
/** @typedef {Part & Run} MeasuredPart */
/** @typedef {{ machine: string, parts: Record<string, MeasuredPart> }} Results */

/** @typedef {'met' | 'MISSED' | 'not measured'} Verdict */

/**
 * A figure that could not be taken (no peer on this machine) meets no bar and misses none.
 * @param {Bar} bar
 * @returns {Verdict}
 */
function verdict({ is, atLeast = -Infinity, atMost = Infinity }) {
  if (!Number.isFinite(is)) return 'not measured'; // NaN, and null once it was written as JSON
  return is >= atLeast && is <= atMost ? 'met' : 'MISSED';
}

/** @param {Bar} bar @returns {number} how well it is met: 1 just so, less is missed; NaN when it was not measured */
function margin(bar) {
  const { is, atLeast, atMost } = bar;
  if (verdict(bar) === 'not measured') return NaN;
  if (atLeast !== undefined) return is / atLeast;
  // No error is just what a limit of 0 asks for, and each one more is farther from it.
  return atMost === 0 ? 1 / (1 + is) : Number(atMost) / is;
}

/** @param {Bar} bar */
const nameOf = ({ route, what }) => (route ? `${route}: ${what}` : what);

/** @param {Bar} bar */
const limit = ({ atLeast, atMost }) => (atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`);

/** @type {Verdict[]} */
const worstFirst = ['MISSED', 'not measured', 'met'];

/** @param {Bar} bar @param {Bar} other @returns {boolean} a route that nobody measured hides no miss, and no other hides it */
function isWorse(bar, other) {
  const [own, others] = [bar, other].map((one) => worstFirst.indexOf(verdict(one)));
  return own === others ? margin(bar) < margin(other) : own < others;
}

/**
 * Each kind of bar once, by the route that is farthest from meeting it.
 * @param {Bar[]} bars
 * @returns {Bar[]}
 */
function worstOfRoutes(bars) {
  /** @type {Map<string, Bar>} */
  const worst = new Map();
  for (const bar of bars) {
    const known = worst.get(bar.what);
    if (!known || isWorse(bar, known)) worst.set(bar.what, bar);
  }
  return [...worst.values()];
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

/**
 * A rate of refusals is no rate: whoever counts errors is judged by them.
 * @param {Part} part
 * @returns {Part} with a bar for errors, if it has none of its own
 */
function withErrors(part) {
  const counts = part.rows.flatMap(({ errors }) => errors ?? []);
  if (counts.length === 0 || part.bars.some(({ what }) => what.startsWith('errors'))) return part;
  // Errors that were seen count even where others could not be counted.
  const is = sum(counts.filter(Number.isFinite)) || sum(counts);
  return { ...part, bars: [...part.bars, { what: 'errors of all contestants', atMost: 0, is }] };
}

module.exports = { verdict, margin, limit, nameOf, withErrors, worstOfRoutes };
