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
 * @property {number} products
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

/** @param {Bar} bar @returns {number} how well it is met: 1 just so, less is missed */
const margin = ({ is, atLeast, atMost }) =>
  atLeast !== undefined ? is / atLeast : /** @type {number} */ (atMost) / is;

/** @param {Bar} bar */
const limit = ({ atLeast, atMost }) => (atLeast !== undefined ? `≥ ${atLeast}` : `≤ ${atMost}`);

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
    if (!known || margin(bar) < margin(known)) worst.set(bar.what, bar);
  }
  return [...worst.values()];
}

/**
 * A rate of refusals is no rate: whoever counts errors is judged by them.
 * @param {Part} part
 * @returns {Part} with a bar for errors, if it has none of its own
 */
function withErrors(part) {
  const counts = part.rows.flatMap(({ errors }) => errors ?? []);
  if (counts.length === 0 || part.bars.some(({ what }) => what.startsWith('errors'))) return part;
  const is = counts.reduce((sum, count) => sum + count, 0);
  return { ...part, bars: [...part.bars, { what: 'errors of all contestants', atMost: 0, is }] };
}

module.exports = { verdict, margin, limit, withErrors, worstOfRoutes };
