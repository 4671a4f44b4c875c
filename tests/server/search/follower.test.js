'use strict';

const { SearchFollower } = require('../../../server/catalog/create-searches');
const { createEvents } = require('../../../server/core/events');
const { Search } = require('../../../server/search/search');
const { until } = require('../../helpers/app');
const { buildTables, readerOf } = require('../../helpers/search-index');
const { picking, randomProducts, seeded } = require('../../helpers/search-products');
const { writtenCatalog } = require('../../helpers/search-writes');

/** @type {import('../../../server/search/answers/query').Query} */
const ALL = {
  q: '',
  filters: {},
  onSale: false,
  inStock: false,
  minPrice: null,
  maxPrice: null,
  sort: 'name',
  count: 1000,
  page: 1,
  after: null,
  facets: ['category', 'price', 'size', 'feature'],
  facetValues: 500,
};
const options = { maxBytes: 2 ** 20 };

/** @param {ReturnType<typeof writtenCatalog>} catalog */
async function expected(catalog) {
  const { cursor: _, ...answer } = await new Search(readerOf(buildTables(catalog.products)), options).search('1', ALL);
  return answer;
}

/** Six hundred products behind the others, which are read before those of the part before. @param {number} part */
const createdFor = (part) =>
  randomProducts(600, part).map((product, at) => ({
    ...product,
    slogan: '',
    description: '',
    features: [],
    id: 100_000 * (3 - part) + at,
  }));

describe('the reader of what was written', () => {
  const random = picking(seeded(11));
  /** @type {ReturnType<typeof writtenCatalog>} */
  let catalog;
  /** @type {Search} */
  let search;
  const loaded = randomProducts(400, 5);
  beforeEach(async () => {
    catalog = writtenCatalog(loaded);
    search = new Search(catalog.reader, options);
    await search.search('1', ALL);
  });

  test.each(/** @type {const} */ (['written', 'names']))(
    'reads again what is written during a read of %s',
    async (name) => {
      const read = /** @type {(...words: any[]) => Promise<any>} */ (catalog.reader[name]);
      let left = 6;
      jest.spyOn(catalog.reader, name).mockImplementation(async (...words) => {
        const found = await read(...words);
        if ((left -= 1) > 0) catalog.write(random, 150);
        return found;
      });
      catalog.write(random, 250);
      await search.currentIndex.follow();
      const { cursor, ...answer } = await search.search('1', ALL);
      if (name === 'written') expect(cursor).toBe(`1.${catalog.seq}`);
      left = 0;
      await search.currentIndex.follow();
      expect(await search.search('1', ALL)).toEqual({ cursor: `1.${catalog.seq}`, ...(await expected(catalog)) });
      expect(answer.total).toBeGreaterThan(100);
    },
  );

  describe('with too little memory for what was written', () => {
    /** @type {Search} */
    let small;
    /** @type {import('../../../server/search/answers/answer').Answer} */
    let before;
    /** Products of the last state that fits. */
    let fitting = loaded;
    beforeEach(async () => {
      small = new Search(catalog.reader, { ...options, maxWrittenBytes: 50_000 });
      await small.search('1', ALL);
      catalog.write(random, 5);
      fitting = catalog.products;
      await small.currentIndex.follow();
      before = { ...(await small.search('1', ALL)) };
      expect(before).toEqual({ cursor: '1.2', ...(await expected(catalog)) });
      catalog.write(random, 300);
      await small.currentIndex.follow();
    });

    test('stays at the last state that fits, but for products that are gone', async () => {
      expect(small.currentIndex.written).toMatchObject({ seq: 2, isFull: true });
      expect(small.currentIndex.stateOf('1')).toBe('2-3');
      const now = new Set(catalog.products.map(({ id }) => id));
      const catalogLeft = writtenCatalog(fitting.filter(({ id }) => now.has(id)));
      const left = await expected(catalogLeft);
      const own = await small.search('1', ALL);
      expect(own.total).toBeLessThan(before.total);
      // Bands of prices keep the edges of the state.
      const [wanted, found] = [left, own].map(({ facets }) => facets.filter(({ name }) => name !== 'price'));
      expect(found).toEqual(wanted);
      expect(own).toMatchObject({ cursor: '1.2', ids: left.ids, total: left.total });
      const other = new Search(catalogLeft.reader, options);
      for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
        const [shown, all] = [await small.suggest('1', letter, 50), await other.suggest('1', letter, 1000)];
        expect(shown.categories).toEqual(all.categories);
        expect(all.words).toEqual(expect.arrayContaining(shown.words));
      }
      catalog.become(catalog.products.map((product) => ({ ...product, slogan: 'Other' })));
      await small.currentIndex.follow();
      expect(small.currentIndex.stateOf('1')).toBe('2-3'); // so cached replies stay
    });

    test('follows again when most of it is as the load had it', async () => {
      catalog.become(loaded);
      await until(async () => {
        await small.currentIndex.follow();
        return !small.currentIndex.written.isFull;
      });
      expect(await small.search('1', ALL)).toEqual({ cursor: `1.${catalog.seq}`, ...(await expected(catalog)) });
    });

    test('follows another load', async () => {
      const next = writtenCatalog(randomProducts(30, 6));
      Object.assign(catalog.reader, next.reader);
      await small.search('2', ALL);
      next.write(random, 3);
      await small.currentIndex.follow();
      expect(await small.search('2', ALL)).toEqual({ cursor: '1.2', ...(await expected(next)) });
      expect(small.currentIndex.written.isFull).toBe(false);
    });
  });

  test('what takes too much is a question of the commit, not of the way to it', async () => {
    const whole = new Search(catalog.reader, options);
    await whole.search('1', ALL);
    const states = [1, 2].map((part) => [...loaded.slice(0, 100), ...createdFor(part)]);
    /** @type {number[]} */
    const sizes = [];
    for (const state of states) {
      catalog.become(state);
      await whole.currentIndex.follow();
      sizes.push(whole.currentIndex.written.bytes);
    }
    const [exact, less] = [0, 1].map(
      (by) => new Search(catalog.reader, { ...options, maxWrittenBytes: Math.max(...sizes) - by }),
    );
    for (const [index, state] of states.entries()) {
      catalog.become(state);
      for (const each of [exact, less]) {
        await each.search('1', ALL);
        await each.currentIndex.follow();
      }
      expect(exact.currentIndex.written).toMatchObject({ seq: catalog.seq, isFull: false, bytes: sizes[index] });
    }
    expect(less.currentIndex.written.isFull).toBe(true);
  });

  test('reads all of another load', async () => {
    catalog.write(random, 3);
    const other = { ...readerOf(buildTables(randomProducts(30, 6)), 2) };
    Object.assign(catalog.reader, other);
    await search.currentIndex.follow();
    expect(await search.search('1', ALL)).toMatchObject({ loadId: 2, total: 30 });
  });
});

test('what cannot be read is tried again and reported, and a full memory once', async () => {
  const events = createEvents();
  const [stale, full] = [jest.fn(), jest.fn()];
  events.on('searchStale', stale);
  events.on('searchFull', full);
  const position = { reached: { listedSeq: 5 } };
  let isFull = false;
  const follow = jest.fn().mockRejectedValueOnce(new Error('away'));
  const held = {
    follow,
    seqOf: () => 4,
    get isFollowing() {
      return follow.mock.calls.length < 2;
    },
    get written() {
      return { seq: 4, isFull, bytes: 1, products: 1 };
    },
  };
  const follower = new SearchFollower(/** @type {any} */ (held), { current: '1-1', position }, events);
  follower.follow();
  follower.follow();
  await until(() => follow.mock.calls.length === 2);
  isFull = true;
  for (let moves = 0; moves < 2; moves += 1) {
    const calls = follow.mock.calls.length;
    await until(() => {
      follower.follow();
      return follow.mock.calls.length > calls;
    });
  }
  await until(() => full.mock.calls.length > 0);
  expect([stale.mock.calls, full.mock.calls.length]).toEqual([[[new Error('away')]], 1]);
  position.reached.listedSeq = 4;
  follow.mockClear();
  follower.follow();
  expect(follow).not.toHaveBeenCalled();
});
