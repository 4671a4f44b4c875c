'use strict';

const { wordsFor } = require('../../../server/search/bits');
const { Order } = require('../../../server/search/order');
const { ranksOfPage } = require('../../../server/search/order-page');
const { PositionSet } = require('../../../server/search/position-set');
const { settle } = require('../../../server/search/set-algebra');
const { picking, seeded } = require('../../helpers/search-products');

/** Keeps nothing: what is derived must not depend on when it was made. */
const forgetful = { derived: (/** @type {string} */ _name, /** @type {() => any} */ make) => make() };

/**
 * An order of random keys.
 * @param {number} size @param {number} keys how many different ones
 */
function randomOrder(size, keys) {
  const { below } = picking(seeded(size + keys));
  const key = Array.from({ length: size }, () => below(keys));
  const positions = key.map((_, position) => position).sort((a, b) => key[a] - key[b] || a - b);
  const ties = new Int32Array(wordsFor(size));
  positions.forEach((position, rank) => {
    if (rank > 0 && key[position] === key[positions[rank - 1]]) ties[rank >>> 5] |= 1 << (rank & 31);
  });
  return { key, order: new Order('test', Int32Array.from(positions), ties, forgetful) };
}

/** @param {number} size @param {number} share @param {number} seed */
function randomSet(size, share, seed) {
  const memory = { size, take: () => new Int32Array(wordsFor(size)) };
  const bits = memory.take();
  const random = seeded(seed);
  for (let position = 0; position < size; position += 1)
    if (random() < share) bits[position >>> 5] |= 1 << (position & 31);
  return { memory, set: settle(memory, bits) };
}

const CATALOGS = [
  { size: 1, keys: 1 },
  { size: 20, keys: 5 },
  { size: 700, keys: 1 },
  { size: 700, keys: 4 },
  { size: 701, keys: 100_000 },
  { size: 3000, keys: 40 },
];

describe.each(CATALOGS)('an order of $size products with $keys keys', ({ size, keys }) => {
  const { key, order } = randomOrder(size, keys);
  const shares = [1, 0.5, 1 / 20, 1 / 50, 0];

  test('finds where the ties of each rank begin and end', () => {
    const sorted = [...order.positions].map((position) => key[position]);
    for (let rank = 0; rank < size; rank += 1) {
      const [start, end] = [sorted.indexOf(sorted[rank]), sorted.lastIndexOf(sorted[rank]) + 1];
      expect([order.startOf(rank), order.endOf(rank)]).toEqual([start, end]);
    }
  });

  test('numbers the products with reversed keys', () => {
    const down = Array.from({ length: size }, (_, rank) => rank);
    down.sort((a, b) => key[order.positions[b]] - key[order.positions[a]] || a - b);
    expect(down.map((rank) => order.descendingIndex(rank))).toEqual(down.map((_, index) => index));
    expect(down.map((_, index) => order.rankOfDescending(index))).toEqual(down);
  });

  test('counts the products of a set before each rank', () => {
    const { set } = randomSet(size, 0.5, 7);
    const bits = new Int32Array(wordsFor(size));
    for (const position of set.slice(0, size)) bits[position >>> 5] |= 1 << (position & 31);
    for (let end = 0; end <= size; end += 1 + Math.floor(size / 50)) {
      const wanted = order.positions.subarray(0, end).filter((position) => set.has(position)).length;
      expect(order.countBefore(bits, end)).toBe(wanted);
    }
  });

  test('makes the sets of ranges of ranks', () => {
    const { memory } = randomSet(size, 0, 1);
    const bounds = [0, 1, Math.floor(size / 21), Math.floor(size / 3), size - 1, size];
    for (const from of bounds) {
      for (const to of bounds) {
        const wanted = [...order.positions.subarray(from, Math.max(from, to))].sort((a, b) => a - b);
        const range = order.range(memory, from, to);
        expect([range.count, ...range.slice(0, size)]).toEqual([wanted.length, ...wanted]);
      }
    }
  });

  test.each(shares)('pages of a set of %d of them, up and down, by offset and behind a product', (share) => {
    const { set } = randomSet(size, share, 3);
    const members = [...order.positions]
      .map((position, rank) => ({ rank, position }))
      .filter(({ position }) => set.has(position));
    const down = [...members].sort((a, b) => key[b.position] - key[a.position] || a.position - b.position);
    for (const [descending, list] of /** @type {const} */ ([
      [false, members],
      [true, down],
    ])) {
      // prettier-ignore
      const ranks = list.map(({ rank }) => rank);
      for (const offset of [0, 1, 5, Math.floor(ranks.length / 2), ranks.length - 1, ranks.length, size + 9].filter(
        (each) => each >= 0,
      )) {
        for (const count of [0, 1, 7]) {
          const page = ranksOfPage(order, set, { descending, start: { offset }, count });
          expect(page).toEqual(ranks.slice(offset, offset + count));
          if (offset === 0 || offset > ranks.length) continue;
          const after = { rank: ranks[offset - 1], inclusive: false };
          expect(ranksOfPage(order, set, { descending, start: { after }, count })).toEqual(
            ranks.slice(offset, offset + count),
          );
          const at = { rank: ranks[offset - 1], inclusive: true };
          expect(ranksOfPage(order, set, { descending, start: { after: at }, count })).toEqual(
            ranks.slice(offset - 1, offset - 1 + count),
          );
        }
      }
    }
  });
});

test('a set of all products costs no list of positions', () => {
  expect(PositionSet.all(33)).toMatchObject({ count: 33, isAll: true, positions: null });
});
