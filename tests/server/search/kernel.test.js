'use strict';

const { countBoth: countPlainly } = require('../../../server/search/sets/bits');
const { countBoth, counterFor } = require('../../../server/search/sets/kernel');
const { seeded } = require('../../helpers/search-products');

const LENGTHS = [0, 1, 2, 2047, 2048, 2049, 31_250, 31_251, 3001, 3002, 3001, 70_001];

/** @param {number} length @param {number} seed @param {number} share of words that are not 0 */
function randomBits(length, seed, share) {
  const random = seeded(seed);
  return Int32Array.from({ length }, () => (random() < share ? random() * 2 ** 32 : 0));
}

test.each(LENGTHS)('counts the common bits of %d words as the plain loop does', (length) => {
  const all = new Int32Array(length).fill(-1);
  const arrays = [all, new Int32Array(length), ...[0.01, 0.5, 1].map((share, seed) => randomBits(length, seed, share))];
  for (const a of arrays) {
    const count = counterFor(a);
    expect(arrays.map((b) => count(b))).toEqual(arrays.map((b) => countPlainly(a, b)));
  }
  expect(countBoth(all, all)).toBe(32 * length);
});

test('counts without WebAssembly', () => {
  const [a, b] = [randomBits(5000, 1, 1), randomBits(5000, 2, 1)];
  const { WebAssembly: own } = globalThis;
  try {
    Object.defineProperty(globalThis, 'WebAssembly', { value: undefined, configurable: true, writable: true });
    expect(countBoth(a, b)).toBe(countPlainly(a, b));
  } finally {
    Object.defineProperty(globalThis, 'WebAssembly', { value: own, configurable: true, writable: true });
  }
});
