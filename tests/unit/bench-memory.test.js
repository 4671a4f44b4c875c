'use strict';

/** What is watched: memory and folders. @type {Set<() => number>} */
const mockWatched = new Set();
let mockLimited = false;
let mockKilled = 0;
const mockLeave = jest.fn();

jest.mock('../../scripts/lib/postgres', () => ({
  startPostgres: async () => ({ dsn: () => '', stop: async () => {} }),
}));
jest.mock('../../scripts/lib/commands', () => ({
  prepareCatalog: () => [process.execPath, '--eval', ''],
  loadCatalog: () => [process.execPath, '--eval', `process.exitCode = ${Number(mockLimited)}`, '--'],
}));
jest.mock('../../scripts/bench/peaks', () => ({
  watchPeak(/** @type {() => number} */ look) {
    mockWatched.add(look);
    return () => Number(mockWatched.delete(look));
  },
}));
jest.mock('../../scripts/bench/dataset', () => ({ dataOf: async () => 'data' }));
jest.mock('../../scripts/bench/memory-limit', () => ({
  limitMemory() {
    mockLimited = true;
    return { peakMb: () => 1024, killed: () => mockKilled, leave: mockLeave };
  },
}));

const { memory } = require('../../scripts/bench/memory');

beforeEach(() => (mockLimited = false));
afterEach(() => {
  expect([...mockWatched]).toEqual([]); // a timer that looks into a deleted folder ends all of bench
  expect(mockLeave).toHaveBeenCalledTimes(1);
  mockLeave.mockClear();
});

const measure = () => memory({ products: 10, say: () => {} });

test('a limited load that failed because something was killed is a figure', async () => {
  mockKilled = 2;
  const { bars, rows } = await measure();
  expect([bars.at(-1)?.is, rows.at(-1)?.memoryMb]).toEqual([2, 1024]);
});

test('a limited load that failed of itself is none', async () => {
  mockKilled = 0;
  await expect(measure()).rejects.toThrow('ended with status 1');
});
