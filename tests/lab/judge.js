'use strict';

/** @typedef {Record<string, [measured: unknown, wanted?: unknown]>} Figures without `wanted` a figure is only reported */

/** @param {string} words @param {(value: number) => boolean} asymmetricMatch */
const limit = (words, asymmetricMatch) => ({
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch,
  toAsymmetricMatcher: () => words,
});
const atMost = (/** @type {number} */ most) => limit(`at most ${most}`, (value) => value <= most);
const atLeast = (/** @type {number} */ least) => limit(`at least ${least}`, (value) => value >= least);

/** All at once: a failure shows every figure that misses, beside the others. @param {Figures} figures */
function judge(figures) {
  const side = (/** @type {0 | -1} */ at) =>
    Object.fromEntries(Object.entries(figures).map(([name, pair]) => [name, pair.at(at)]));
  expect(side(0)).toEqual(side(-1));
}

module.exports = { atLeast, atMost, judge };
