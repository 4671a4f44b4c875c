'use strict';

/**
 * @typedef {object} Check one target and what was measured against it
 * @property {string} what
 * @property {string} target
 * @property {string} measured
 * @property {boolean} pass
 * @property {boolean} timed whether the machine's speed decides; tests do not judge these
 * @property {string[]} [failures] the first requests that failed: time, path and problem
 */

/** @param {number} value */
const shown = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** @param {string} sign @param {(value: number, limit: number) => boolean} meets */
const compare =
  (sign, meets) =>
  /** @param {string} what @param {number} value @param {number} limit @param {string} [unit] @returns {Check} */
  (what, value, limit, unit = '') => ({
    what,
    target: `${sign} ${shown(limit)}${unit}`,
    measured: `${shown(value)}${unit}`,
    pass: meets(value, limit),
    timed: /ms|s$|%/.test(unit),
  });
const atMost = compare('≤', (value, limit) => value <= limit);
const atLeast = compare('≥', (value, limit) => value >= limit);

/** @param {string} what @param {number} value @param {number} [wanted] @returns {Check} */
const exactly = (what, value, wanted = 0) => ({
  ...{ what, target: shown(wanted), measured: shown(value) },
  ...{ pass: value === wanted, timed: false },
});

/** @param {string} what @param {boolean} is @param {string} [measured] @returns {Check} */
const holds = (what, is, measured = is ? 'yes' : 'no') => ({ what, target: 'yes', measured, pass: is, timed: false });

/** @param {string} prefix @param {Check[]} checks */
const prefixed = (prefix, checks) => checks.map((check) => ({ ...check, what: `${prefix}: ${check.what}` }));

/** @param {import('../testbed/loadgen/observed').Summary} summary @returns {Check[]} */
const allAnswered = ({ asked, ok, wrongBodies, failures }) => [
  { ...exactly(`requests of ${asked} not answered 200`, asked - ok), failures },
  { ...exactly('wrong bodies', wrongBodies), failures },
];

module.exports = { allAnswered, atMost, atLeast, exactly, holds, prefixed };
