'use strict';

/**
 * Nearest rank (Hyndman and Fan, 1996, definition 1): the least value that a share of all values do not exceed, so always
 * one that was measured. All generators of load tell their p99 by it.
 * @param {ArrayLike<number>} sorted ascending @param {number} share above 0, at most 1: 0.99 for p99
 * @returns {number} NaN of nothing
 */
const quantile = (sorted, share) => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;

module.exports = { quantile };
