'use strict';

const { unavailable } = require('../../../server/core/errors');
const { Search } = require('../../../server/search/search');
const { SetCache } = require('../../../server/search/sets/set-cache');
const { TurnQueue } = require('../../../server/search/query-context');
const { compareDecimals, plainDecimal } = require('../../../server/core/decimals');
const { buildTables, frameOf, readerOf } = require('../../helpers/search-index');
const { randomProducts } = require('../../helpers/search-products');

/** @type {import('../../../server/search/answers/query').Query} */
const QUERY = {
  q: 'jacket',
  filters: { category: ['Jackets', 'Shoes'] },
  onSale: false,
  inStock: true,
  minPrice: '9.99',
  maxPrice: null,
  sort: null,
  count: 10,
  page: 1,
  after: null,
  facets: ['category', 'price', 'size', 'feature'],
  facetValues: 5,
};

describe('the reader of a load', () => {
  const tables = buildTables(randomProducts(400, 6));
  const options = { maxBytes: 2 ** 20 };

  test('reads blobs once a version, and sets only when they are needed', async () => {
    const reader = readerOf(tables);
    const blobs = jest.spyOn(reader, 'blobs');
    const sets = jest.spyOn(reader, 'sets');
    const search = new Search(reader, options);
    const first = await search.search('1', QUERY);
    const reads = sets.mock.calls.length;
    expect(await search.search('1', QUERY)).toEqual(first);
    expect([blobs.mock.calls, sets.mock.calls.length]).toEqual([[['1']], reads]);
    const keys = sets.mock.calls.flatMap(([, each]) => each);
    expect(new Set(keys).size).toBe(keys.length);
    await search.search('2', QUERY);
    expect(blobs.mock.calls).toEqual([['1'], ['2']]);
  });

  test('answers the same with no memory for sets', async () => {
    const small = new Search(readerOf(tables), { maxBytes: 1 });
    expect(await small.search('1', QUERY)).toEqual(await new Search(readerOf(tables), options).search('1', QUERY));
  });

  test('is read again when sets come from another load', async () => {
    const [old, next] = [readerOf(tables, 1), readerOf(buildTables(randomProducts(300, 7)), 2)];
    let loads = 0;
    const search = new Search({ ...next, blobs: () => (loads++ === 0 ? old : next).blobs() }, options);
    const wanted = await new Search(next, options).search('1', QUERY);
    expect([await search.search('1', QUERY), loads]).toEqual([wanted, 2]);
  });

  test.each([
    ['another load', { minLoadId: 9, maxLoadId: 9 }],
    ['two loads', { minLoadId: 1, maxLoadId: 2 }],
    ['two loads', { minLoadId: 0, maxLoadId: 1 }],
  ])('is unavailable while sets come from %s each time', async (_, loads) => {
    const reader = readerOf(tables);
    const sets = async (/** @type {string} */ version, /** @type {string[]} */ keys) => ({
      ...(await reader.sets(version, keys)),
      ...loads,
    });
    const search = new Search({ ...reader, sets }, options);
    await expect(search.search('1', QUERY)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('replaced'),
    });
  });

  test('without search answers 503 that says so', async () => {
    const search = new Search({ ...readerOf(tables), blobs: async () => null }, options);
    await expect(search.search('1', QUERY)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('without search'),
    });
  });

  test('that declares no field refuses one', async () => {
    const bodies = new Map([...tables.blobs].filter(([name]) => !name.includes('field')));
    const search = new Search({ ...readerOf(tables), blobs: async () => ({ loadId: 1, bodies }) }, options);
    await expect(search.search('1', { ...QUERY, sort: 'field.weight_g' })).rejects.toMatchObject({
      status: 400,
      message: 'The load has no field "field.weight_g": no field is a sort.',
    });
    await expect(search.search('1', QUERY)).resolves.toHaveProperty('fields.size', 0);
  });

  test('reads a scale once, and says when it is damaged', async () => {
    const reader = readerOf(tables);
    const scale = jest.spyOn(reader, 'scale');
    const search = new Search(reader, options);
    const byWeight = { ...QUERY, q: '', sort: /** @type {const} */ ('field.weight_g') };
    const both = await Promise.all([search.search('1', byWeight), search.search('1', { ...byWeight, page: 2 })]);
    expect([both[0].total, scale.mock.calls]).toEqual([both[1].total, [['1', 'field.weight_g']]]);
    const { order } = await reader.scale('1', 'field.weight_g');
    scale.mockResolvedValue({ loadId: 1, order, values: Buffer.from('12 3') });
    await expect(new Search(reader, options).search('1', byWeight)).rejects.toThrow(
      'search_blobs has damaged values.field.weight_g. Load the data again.',
    );
    scale.mockResolvedValue({ loadId: 2, order, values: Buffer.alloc(0) });
    await expect(new Search(reader, options).search('1', byWeight)).rejects.toMatchObject({ status: 503 });
  });

  test('that lacks a blob names it', async () => {
    const bodies = new Map([...tables.blobs].filter(([name]) => name !== 'words'));
    const search = new Search({ ...readerOf(tables), blobs: async () => ({ loadId: 1, bodies }) }, options);
    await expect(search.search('1', QUERY)).rejects.toThrow('search_blobs has no words. Load the data again.');
  });

  test.each(
    ['words', 'prices'].flatMap((name) => [
      [name, 'is cut', (/** @type {Buffer} */ body) => body.subarray(0, -1)],
      [name, 'is cut inside a line', (/** @type {Buffer} */ body) => body.subarray(0, body.lastIndexOf('\t'))],
      [name, 'lacks a tab', (/** @type {Buffer} */ body) => Buffer.from(`${body}`.replace('\t', ''))],
    ]),
  )('whose %s %s says so, and the worker goes on', async (name, _, damage) => {
    const bodies = new Map(tables.blobs);
    bodies.set(name, damage(/** @type {Buffer} */ (bodies.get(name))));
    const search = new Search({ ...readerOf(tables), blobs: async () => ({ loadId: 1, bodies }) }, options);
    await expect(search.search('1', QUERY)).rejects.toThrow(`search_blobs has damaged ${name}. Load the data again.`);
  });

  test.each(/** @type {const} */ (['blobs', 'sets']))('that failed once (%s) is asked again', async (method) => {
    const reader = readerOf(tables);
    jest.spyOn(reader, method).mockRejectedValueOnce(unavailable('The database is away.'));
    const search = new Search(reader, options);
    await expect(search.search('1', QUERY)).rejects.toMatchObject({ status: 503 });
    await expect(search.search('1', QUERY)).resolves.toHaveProperty('total');
  });
});

describe('the cache of sets', () => {
  const size = 70_000;
  const lists = new Map(
    Array.from({ length: 40 }, (_, index) => [`n:${index}`, Array.from({ length: 3000 + index }, (__, at) => at * 3)]),
  );
  const read = jest.fn(async (/** @type {string[]} */ keys) => frameOf(lists, keys) ?? Buffer.alloc(0));
  const wanted = [...lists.keys()].map((key) => ({ key, count: lists.get(key)?.length }));

  test('stays below its bytes', async () => {
    const cache = new SetCache({ read, size, maxBytes: 100_000 });
    for (const each of wanted) expect((await cache.get([each]))[0].count).toBe(each.count);
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
    expect(cache.bytes).toBeGreaterThan(50_000);
  });

  test('reads a set once for all that wait for it', async () => {
    read.mockClear();
    const cache = new SetCache({ read, size, maxBytes: 10 ** 7 });
    const both = await Promise.all([cache.get(wanted.slice(0, 3)), cache.get(wanted.slice(1, 4))]);
    expect(read.mock.calls).toEqual([[['n:0', 'n:1', 'n:2']], [['n:3']]]);
    expect(both[0][1]).toBe(both[1][0]);
    expect(cache.held(wanted.slice(0, 4))).toEqual([both[0][0], both[0][1], both[0][2], both[1][2]]);
    expect(cache.held(wanted.slice(0, 5))).toBeNull();
  });

  test('does not read sets that have no products, and no more than 2 MB at once', async () => {
    read.mockClear();
    const cache = new SetCache({ read, size: 8 * 2 ** 20, maxBytes: 10 ** 7 });
    const big = ['n:0', 'n:1', 'n:2', 'n:3', 'n:4'].map((key) => ({ key }));
    const sets = await cache.get([{ key: 'n:9', count: 0 }, ...big]);
    expect(sets.map(({ count }) => count)).toEqual([0, 3000, 3001, 3002, 3003, 3004]);
    expect(read.mock.calls).toEqual([[['n:0', 'n:1']], [['n:2', 'n:3']], [['n:4']]]);
  });
});

test('two searches never have the same turn of the event loop', async () => {
  const turns = new TurnQueue();
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const seen = await Promise.all(Array.from({ length: 9 }, () => turns.next().then(() => turn)));
  counting = false;
  expect(new Set(seen).size).toBe(9);
});

test.each([
  ['1', '1.00', 0],
  ['10', '9.99', 1],
  ['0.1', '0.09', 1],
  ['99999999999999999999.999999999999999998', '99999999999999999999.999999999999999999', -1],
  ['-2', '-1', -1],
  ['-1', '0', -1],
  ['-0.0', '0', 0],
  ['007.10', '7.1', 0],
])('compares the decimals %s and %s', (a, b, sign) => {
  expect([Math.sign(compareDecimals(a, b)), Math.sign(compareDecimals(b, a))]).toEqual([sign, 0 - sign]);
  expect(plainDecimal(a) === plainDecimal(b)).toBe(sign === 0);
});
