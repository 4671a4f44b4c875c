'use strict';

const { countCommon, haveCommon } = require('../../../server/search/sets/ordinal-set');
const { intersect, subtract, unite } = require('../../../server/search/sets/set-algebra');
const { decodeFrame } = require('../../../server/search/sets/set-cache');
const { wordsFor } = require('../../../server/search/sets/bits');
const { frameOf } = require('../../helpers/search-index');
const { picking, seeded } = require('../../helpers/search-products');

/** @param {number} size @returns {import('../../../server/search/sets/set-algebra').Memory} with other bits in each array */
const memoryFor = (size) => ({ size, take: () => new Int32Array(wordsFor(size)).fill(0x5a5a5a5a) });

/** @param {Map<string, number[]>} sets @param {number} size */
function decoded(sets, size) {
  const frame = frameOf(sets, [...sets.keys()]);
  return decodeFrame(frame ?? Buffer.alloc(0), sets.size, size);
}

/** @param {number} size @param {number} share @param {number} seed */
function randomOrdinals(size, share, seed) {
  const random = seeded(seed);
  return Array.from({ length: size }, (_, ordinal) => ordinal).filter(() => random() < share);
}

/** jest compares long arrays slowly. @param {import('../../../server/search/sets/ordinal-set').OrdinalSet} set @param {number[]} list */
function expectList(set, list) {
  const found = set.slice(0, Infinity);
  const wrong = list.findIndex((ordinal, index) => found[index] !== ordinal);
  expect({ wrong, length: found.length, count: set.count }).toEqual({
    wrong: -1,
    length: list.length,
    count: list.length,
  });
}

describe.each([1, 31, 32, 33, 1000, 65_535, 65_536, 65_537])('sets of a catalog of %d products', (size) => {
  const shares = [0, 0.001, 1 / 33, 1 / 31, 0.5, 1];
  const lists = shares.map((share, index) => randomOrdinals(size, share, index + 1));
  const sets = decoded(new Map(lists.map((list, index) => [`n:${index}`, list])), size);
  const memory = memoryFor(size);
  const pairs = lists.flatMap((_, a) => lists.map((__, b) => /** @type {const} */ ([a, b])));

  test('have the ordinals that were written', () => {
    for (const [index, set] of sets.entries()) expectList(set, lists[index]);
  });

  test('take no more than one bit a product', () => {
    for (const set of sets) expect(set.bytes).toBeLessThanOrEqual(wordsFor(size) * 4);
  });

  test.each(pairs)('%d and %d: intersection, union, difference and counts', (a, b) => {
    const [left, right] = [sets[a], sets[b]];
    const inRight = new Set(lists[b]);
    const common = lists[a].filter((ordinal) => inRight.has(ordinal));
    const rest = lists[a].filter((ordinal) => !inRight.has(ordinal));
    expectList(intersect(memory, [left, right]), common);
    expectList(subtract(memory, left, right), rest);
    expectList(unite(memory, [left, right]), Array.from(Int32Array.from([...rest, ...lists[b]]).sort()));
    expect(countCommon(left, right)).toBe(common.length);
    expect(haveCommon(left, right)).toBe(common.length > 0);
  });

  test('answer membership, rank and slices', () => {
    const { below } = picking(seeded(9));
    for (const [index, set] of sets.entries()) {
      const list = lists[index];
      for (const ordinal of [0, size - 1, ...Array.from({ length: 20 }, () => below(size))]) {
        const before = list.filter((each) => each < ordinal).length;
        expect([set.has(ordinal), set.rank(ordinal)]).toEqual([list[before] === ordinal, before]);
      }
      expect(set.rank(size)).toBe(list.length);
      for (const offset of [0, 1, below(size), size]) {
        expect([...set.slice(offset, 5)]).toEqual(list.slice(offset, offset + 5));
      }
    }
  });
});

test('three sets are intersected and united', () => {
  const lists = [randomOrdinals(5000, 0.5, 1), randomOrdinals(5000, 0.01, 2), randomOrdinals(5000, 0.4, 3)];
  const sets = decoded(new Map(lists.map((list, index) => [`n:${index}`, list])), 5000);
  const [a, b, c] = lists.map((list) => new Set(list));
  const all = Array.from({ length: 5000 }, (_, ordinal) => ordinal);
  expectList(
    intersect(memoryFor(5000), sets),
    all.filter((each) => a.has(each) && b.has(each) && c.has(each)),
  );
  expectList(
    unite(memoryFor(5000), sets),
    all.filter((each) => a.has(each) || b.has(each) || c.has(each)),
  );
});

describe('rows of a frame', () => {
  const size = 140_000;
  const first = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index * 16);

  test.each([1, 4095, 4096, 4097, 8192])('a set with %d products in two of three chunks', (count) => {
    const list = [...first(count), ...first(count).map((ordinal) => (ordinal % 65_536) + 65_536)];
    const sorted = [...new Set(list)].sort((a, b) => a - b).filter((ordinal) => ordinal < size);
    const [set, none] = decoded(new Map([['n:a', sorted], ['n:b', []]]), size); // prettier-ignore
    expectList(set, sorted);
    expectList(none, []);
  });

  const row = (/** @type {number[]} */ header, bytes = 2 * header[2]) => {
    const buffer = Buffer.alloc(16 + bytes);
    [...header, bytes].forEach((number, index) => buffer.writeInt32BE(number, index * 4));
    return buffer;
  };

  test.each([
    ['a key that was not requested', [row([2, 0, 1])]],
    ['a chunk behind the last product', [row([0, 3, 1])]],
    ['chunks out of order', [row([0, 1, 1]), row([0, 0, 1])]],
    ['a chunk twice', [row([0, 1, 1]), row([0, 1, 1])]],
    ['no rows', [row([0, 0, 0])]],
    ['too few bytes', [row([0, 0, 2], 2)]],
    ['many rows that are not dense', [row([0, 0, 4097], 8194)]],
    ['an end inside a row', [row([0, 0, 2]).subarray(0, 18)]],
  ])('%s: refused', (_, rows) => {
    expect(() => decodeFrame(Buffer.concat(rows), 2, size)).toThrow(/wrong row.*Load the data again/);
  });
});
