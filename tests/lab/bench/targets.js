'use strict';

/**
 * @typedef {object} Row one server on one route
 * @property {string} route
 * @property {string} what
 * @property {number} [rps]
 * @property {number} [p99Ms]
 * @property {number} [seconds]
 * @property {number} [memoryMb]
 * @property {number} [errors]
 */

/**
 * @typedef {object} Target a ratio or amount with its limit; exactly one of atLeast and atMost
 * @property {string} what
 * @property {string} [route] when each route has one
 * @property {number} is NaN when it could not be measured
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

/** @typedef {{ name: string, rows: Row[], targets: Target[], failures?: string[] }} Part `failures`: in words */
/** @typedef {'met' | 'missed' | 'not measured'} Verdict */

/**
 * A figure that could not be measured meets no target and misses none.
 * @param {Target} target
 * @returns {Verdict}
 */
function verdict({ is, atLeast = -Infinity, atMost = Infinity }) {
  if (!Number.isFinite(is)) return 'not measured';
  return is >= atLeast && is <= atMost ? 'met' : 'missed';
}

/** @param {Target} target */
const nameOf = ({ route, what }) => (route ? `${route}: ${what}` : what);

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

/**
 * A server that refuses requests is fast, so every part whose rows count errors is judged by them.
 * @param {Part} part
 * @returns {Part} with a target for errors, if it has none of its own
 */
function withErrors(part) {
  const counts = part.rows.flatMap(({ errors }) => errors ?? []);
  if (counts.length === 0 || part.targets.some(({ what }) => what.startsWith('errors'))) return part;
  // Known errors count even where others could not be counted.
  const is = sum(counts.filter(Number.isFinite)) || sum(counts);
  return { ...part, targets: [...part.targets, { what: 'errors of all servers', atMost: 0, is }] };
}

/** @param {Part} part @param {string[]} ended how servers have ended that nobody had stopped @returns {Part} judged by them */
const withEnded = (part, ended) => ({
  ...part,
  failures: ended,
  targets: [...part.targets, { what: 'servers that ended by themselves', atMost: 0, is: ended.length }],
});

/**
 * @param {Verdict[]} verdicts of all targets @param {string[]} failed parts
 * @returns {number} exit status; an unknown figure may be a miss too, so 2 goes before 1; also of a run without a target
 */
function exitStatus(verdicts, failed) {
  if (failed.length > 0 || verdicts.length === 0 || verdicts.includes('not measured')) return 2;
  return Number(verdicts.includes('missed'));
}

module.exports = { exitStatus, nameOf, verdict, withEnded, withErrors };
