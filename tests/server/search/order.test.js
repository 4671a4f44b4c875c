'use strict';

const { wordsFor } = require('../../../server/search/sets/bits');
const { Order } = require('../../../server/search/orders/order');
const { ranksOfPage } = require('../../../server/search/orders/order-page');
const { OrdinalSet } = require('../../../server/search/sets/ordinal-set');
const { settle } = require('../../../server/search/sets/set-algebra');
const { seeded } = require('../../helpers/search-products');

/** Keeps nothing: what is derived must not depend on when it was made. */
const forgetful = { derived: (/** @type {string} */ _name, /** @type {() => any} */ make) => make() };

/** A shuffled order. @param {number} size */
function randomOrder(size) {
  const random = seeded(size);
  const keys = Array.from({ length: size }, () => random());
  const ordinals = [...keys.keys()].sort((a, b) => keys[a] - keys[b]);
  return new Order('test', Int32Array.from(ordinals), forgetful);
}

/** @param {number} size @param {number} share @param {number} seed */
function randomSet(size, share, seed) {
  const memory = { size, take: () => new Int32Array(wordsFor(size)) };
  const bits = memory.take();
  const random = seeded(seed);
  for (let ordinal = 0; ordinal < size; ordinal += 1) if (random() < share) bits[ordinal >>> 5] |= 1 << (ordinal & 31);
  return { memory, set: settle(memory, bits) };
}

describe.each([1, 20, 700, 701, 3000])('an order of %d products', (size) => {
  const order = randomOrder(size);
  const shares = [1, 0.5, 1 / 20, 1 / 50, 0];

  test('counts the products of a set before each rank', () => {
    const { set } = randomSet(size, 0.5, 7);
    const bits = new Int32Array(wordsFor(size));
    for (const ordinal of set.slice(0, size)) bits[ordinal >>> 5] |= 1 << (ordinal & 31);
    for (let end = 0; end <= size; end += 1 + Math.floor(size / 50)) {
      const wanted = order.ordinals.subarray(0, end).filter((ordinal) => set.has(ordinal)).length;
      expect(order.countBefore(bits, end)).toBe(wanted);
    }
  });

  test('makes the sets of ranges of ranks', () => {
    const { memory } = randomSet(size, 0, 1);
    const bounds = [0, 1, Math.floor(size / 21), Math.floor(size / 3), size - 1, size];
    for (const from of bounds) {
      for (const to of bounds) {
        const wanted = [...order.ordinals.subarray(from, Math.max(from, to))].sort((a, b) => a - b);
        const range = order.range(memory, from, to);
        expect([range.count, ...range.slice(0, size)]).toEqual([wanted.length, ...wanted]);
      }
    }
  });

  test.each(shares)('pages of a set of %d of them, up and down, by offset and behind a product', (share) => {
    const { set } = randomSet(size, share, 3);
    const members = [...order.ordinals.keys()].filter((rank) => set.has(order.ordinals[rank]));
    for (const descending of [false, true]) {
      const ranks = descending ? [...members].reverse() : members;
      const offsets = [0, 1, 5, Math.floor(ranks.length / 2), ranks.length - 1, ranks.length, size + 9];
      for (const offset of offsets.filter((each) => each >= 0)) {
        for (const count of [0, 1, 7]) {
          const wanted = ranks.slice(offset, offset + count);
          expect(ranksOfPage(order, set, { descending, start: { offset }, count })).toEqual(wanted);
          if (offset === 0 || offset > ranks.length) continue;
          const edge = descending ? ranks[offset - 1] : ranks[offset - 1] + 1;
          expect(ranksOfPage(order, set, { descending, start: { edge }, count })).toEqual(wanted);
        }
      }
    }
  });
});

test('a set of all products costs no list of ordinals', () => {
  expect(OrdinalSet.all(33)).toMatchObject({ count: 33, isAll: true, ordinals: null });
});
