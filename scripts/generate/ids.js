'use strict';

/**
 * After every `every` rows, `skip` ids are missing, as in real data: paging must count rows, not ids.
 * @typedef {{ every: number, skip: number }} Gaps
 */

/** @type {Record<import('./tables').TableName, Gaps>} */
const gaps = {
  product: { every: 50, skip: 3 },
  styles: { every: 90, skip: 2 },
  photos: { every: 1000, skip: 1 },
  skus: { every: 700, skip: 2 },
  features: { every: 400, skip: 1 },
  related: { every: 900, skip: 1 },
};

/**
 * @param {number} ordinal 0 is the first row
 * @param {Gaps} gap
 * @returns {number}
 */
function idOf(ordinal, { every, skip }) {
  return ordinal + 1 + skip * Math.floor(ordinal / every);
}

/**
 * @param {number} ordinal
 * @param {Gaps} gap
 * @returns {number} an id near that row that no row has
 */
function missingId(ordinal, { every, skip }) {
  const gapsBefore = Math.max(1, Math.floor(ordinal / every));
  return every * gapsBefore + skip * (gapsBefore - 1) + 1;
}

module.exports = { gaps, idOf, missingId };
