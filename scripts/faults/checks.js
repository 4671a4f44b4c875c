'use strict';

/**
 * @typedef {object} Check one bar and what was measured against it
 * @property {string} what
 * @property {string} bar
 * @property {string} measured
 * @property {boolean} pass
 * @property {boolean} [unmeasured] it could not be measured here: no pass, and no miss of the service
 * @property {boolean} timed whether the machine's speed decides; `npm test` does not judge these
 */

/** @param {number} value */
const shown = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** @param {string} what @param {number} value @param {number} limit @param {string} [unit] @returns {Check} */
const atMost = (what, value, limit, unit = '') => ({
  what,
  bar: `≤ ${shown(limit)}${unit}`,
  measured: `${shown(value)}${unit}`,
  pass: value <= limit,
  timed: isTime(unit),
});

/** @param {string} what @param {number} value @param {number} limit @param {string} [unit] @returns {Check} */
const atLeast = (what, value, limit, unit = '') => ({
  what,
  bar: `≥ ${shown(limit)}${unit}`,
  measured: `${shown(value)}${unit}`,
  pass: value >= limit,
  timed: isTime(unit),
});

/** @param {string} what @param {number} value @param {number} [wanted] @returns {Check} */
const exactly = (what, value, wanted = 0) => ({
  what,
  bar: shown(wanted),
  measured: shown(value),
  pass: value === wanted,
  timed: false,
});

/** @param {string} what @param {boolean} is @param {string} [measured] @returns {Check} */
const holds = (what, is, measured = is ? 'yes' : 'no') => ({
  what,
  bar: 'yes',
  measured,
  pass: is,
  timed: false,
});

/** @param {string} what @param {string} bar @param {string} reason @returns {Check} */
const notMeasured = (what, bar, reason) => ({
  what,
  bar,
  measured: `NOT MEASURED: ${reason}`,
  pass: true,
  unmeasured: true,
  timed: false,
});

/** @param {string} unit */
const isTime = (unit) => /ms|s$|%/.test(unit);

module.exports = { atMost, atLeast, exactly, holds, notMeasured };
