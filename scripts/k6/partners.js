'use strict';
const { nameIn } = require('./model');

/** @typedef {import('./model').Run} Run */
/** @typedef {import('./model').Figures} Figures */

/**
 * Terms under which two rows were measured: where one differs, neither is better than the other.
 * @param {Run} a @param {Run} b @param {Figures} inA @param {Figures} inB
 * @returns {string[]} those that differ
 */
function differences(a, b, inA, inB) {
  const alike = {
    URL: a.url === b.url,
    catalog: a.catalog.rows === b.catalog.rows,
    budget: inA.budgetMs === inB.budgetMs,
    duration: inA.seconds === inB.seconds,
    bodies: a.content?.source === b.content?.source,
    completeness: !a.interrupted && !b.interrupted,
  };
  return Object.entries(alike).flatMap(([term, isAlike]) => (isAlike ? [] : [term]));
}

/** @param {Run} a @param {Run} b @returns {Map<Figures, Figures>} by row of `a` the row of that name in `b` */
function namesakesOf(a, b) {
  const inB = new Map(b.rows.map((row) => [nameIn(b, row), row]));
  return new Map(
    a.rows.flatMap((row) => {
      const other = inB.get(nameIn(a, row));
      return other ? [/** @type {[Figures, Figures]} */ ([row, other])] : [];
    }),
  );
}

/** @param {Run} a @param {Run} b @returns {Map<Figures, Figures>} without rows that were measured under other terms */
const partnersOf = (a, b) =>
  new Map([...namesakesOf(a, b)].filter(([row, other]) => differences(a, b, row, other).length === 0));

module.exports = { differences, namesakesOf, partnersOf };
