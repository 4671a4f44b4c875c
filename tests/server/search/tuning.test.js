'use strict';

const { Search } = require('../../../server/search/search');
const { buildTables, int4s, readerOf } = require('../../helpers/search-index');
const { productOf, queryOf } = require('../../helpers/search-products');
const { writtenCatalog } = require('../../helpers/search-writes');

/** @typedef {import('../../../server/search/tuning/tuning').Content} Content */
/** @typedef {import('../../helpers/search-products').Product} Product */

const options = { maxBytes: 2 ** 20 };
const sku = (/** @type {number} */ quantity) => ({ name: '', skus: [{ size: 'M', quantity }] });
/** @type {Partial<Product>[]} */
const SHOP = [
  { name: 'Summer Hat', category: 'Hats' },
  { name: 'White Sneakers', category: 'Shoes', styles: [sku(3)] },
  { name: 'Trainer', category: 'Shoes', styles: [sku(0)] },
  { name: 'Winter Jacket', category: 'Jackets', styles: [sku(3)] },
  { name: 'Jackets for Winter', category: 'Jackets' },
  { name: 'Winter Jacket, light', category: 'Jackets', styles: [sku(1)] },
  { name: 'Long Winter Jacket', category: 'Jackets', styles: [sku(1)] },
  { name: 'Rain Coat', category: 'Jackets' },
  { name: 'Rain Hat, Coat Hanger', category: 'Hats' },
  { name: 'Buy it Badge', category: 'Badges' },
];

/** A search over the shop. @param {Content} content @param {number[]} [ranked] ids */
function tuned(content, ranked) {
  const stored = { number: 7, content, ranked: ranked ? int4s(ranked) : null };
  return new Search(readerOf(buildTables(SHOP.map(productOf)), 1, stored), { ...options, tuning: () => 7 });
}

/** @param {Content} content @param {Partial<Parameters<typeof queryOf>[0]>} query @param {number[]} [ranked] */
const answerOf = (content, query, ranked) => tuned(content, ranked).search('1', queryOf({ count: 100, ...query }));

describe('synonyms', () => {
  const content = {
    synonyms: [['sneakers', 'trainers', 'kicks'], { from: ['anorak'], to: ['jacket'] }, ['rain coat', 'mackintosh']],
  };
  test.each([
    ['trainers', [2, 3]],
    ['kick', [2, 3]],
    ['sneaker', [2, 3]],
    ['anorak', [4, 6, 7, 5, 8]],
    ['winter anorak', [4, 6, 7, 5]],
    ['mackintoshes', [8, 9]],
    ['rain coat', [8, 9]],
    ['hat -anorak', [1, 9]],
  ])('find what a shop calls otherwise, as written first: %s', async (q, ids) => {
    expect((await answerOf(content, { q })).ids).toEqual(ids);
  });

  test('lead one way where the shop says so', async () => {
    const { ids, query } = await answerOf({ synonyms: [{ from: ['anorak'], to: ['jacket'] }] }, { q: 'jacket' });
    expect([ids, query.words[0].as]).toEqual([
      [4, 6, 7, 5, 8],
      ['jacket', 'jackets'],
    ]);
  });

  test('are named as what a word has matched', async () => {
    const { query } = await answerOf(content, { q: 'kicks' });
    expect(query.words).toEqual([
      { word: 'kicks', as: ['sneakers', 'trainer'], shown: ['sneakers', 'trainer'], typos: 0 },
    ]);
  });
});

describe('stop words', () => {
  test.each([
    [{ add: ['winter'] }, 'winter hat', [1, 9], ['winter']],
    [{ remove: ['it'] }, 'it badge', [10], []],
    [{ add: ['badge'], remove: ['it'] }, 'it badge', [10], ['badge']],
    [{ add: ['winter', 'hat'] }, 'winter hat', [1, 9], []],
  ])('%j', async (stopWords, q, ids, optional) => {
    const found = await answerOf({ stopWords }, { q });
    expect([found.ids, found.query.optional]).toEqual([ids, optional]);
  });
});

describe('places', () => {
  const pins = [{ q: 'winter jackets', ids: [8, 99, 7] }];
  test('pinned products come first in their order, once, and count', async () => {
    const { ids, total, query } = await answerOf({ pins }, { q: 'Jacket WINTER' });
    expect([ids, total, query.pinned]).toEqual([[8, 7, 4, 6, 5], 5, [8, 7]]);
  });

  test('a pinned product passes the filters, or is not found', async () => {
    const { ids, total, facets } = await answerOf(
      { pins },
      { q: 'winter jacket', inStock: true, facets: ['category', 'in_stock'] },
    );
    expect([ids, total]).toEqual([[7, 4, 6], 3]);
    expect(facets.map((facet) => ('values' in facet ? facet.values : []))).toEqual([
      [{ value: 'Jackets', count: 3, selected: false }],
      [{ value: 'true', count: 3, selected: true }],
    ]);
  });

  test('another order keeps its order, and the total', async () => {
    const { ids, total } = await answerOf({ pins }, { q: 'winter jacket', sort: 'id' });
    expect([ids, total]).toEqual([[4, 5, 6, 7, 8], 5]);
  });

  test('buried products come last, in their order, and pinned ones are not buried', async () => {
    const bury = [{ q: 'jacket', ids: [6, 4, 7] }];
    expect((await answerOf({ bury, pins: [{ q: 'jacket', ids: [7] }] }, { q: 'jacket' })).ids).toEqual([7, 5, 8, 6, 4]);
  });

  test('of a category count where it is all that a query asks for', async () => {
    const content = { pins: [{ category: 'Jackets', ids: [7, 1] }], bury: [{ category: 'Jackets', ids: [4] }] };
    const first = async (/** @type {object} */ more) =>
      (await answerOf(content, { filters: { category: ['Jackets'] }, ...more })).ids.join(' ');
    expect(await first({})).toBe('7 5 6 8 4');
    expect(await first({ inStock: true })).toBe('4 6 7');
    expect(await first({ q: 'jacket' })).toBe('4 6 7 5 8');
    expect(await first({ sort: 'newest' })).toBe('8 7 6 5 4');
    expect(await first({ filters: { category: ['Jackets', 'Hats'] } })).toBe('1 4 5 6 7 8 9');
  });

  test.each([1, 2, 3, 5])('cursors of %d products walk over pinned and buried ones', async (count) => {
    const search = tuned({ pins, bury: [{ q: 'winter jacket', ids: [4, 6] }] });
    const walked = [];
    for (let after = null, first = true; first || after; first = false) {
      const page = await search.search('1', queryOf({ q: 'winter jacket', count, after }));
      walked.push(...page.ids);
      after = page.next;
    }
    expect(walked).toEqual([8, 7, 5, 4, 6]);
  });

  test('a cursor goes on where its product was placed before the tuning changed', async () => {
    const query = queryOf({ q: 'winter jacket', count: 1 });
    const { next } = await tuned({ pins }).search('1', query);
    const untuned = new Search(readerOf(buildTables(SHOP.map(productOf))), options);
    expect((await untuned.search('1', { ...query, count: 100, after: next })).ids).toEqual([4, 6, 7, 5]);
  });
});

describe('a rank', () => {
  test('orders products that match as well and are in stock alike', async () => {
    expect((await answerOf({}, { q: 'winter jacket' }, [7, 6, 5])).ids).toEqual([7, 6, 4, 5]);
  });

  test('changes nothing in another order', async () => {
    expect((await answerOf({}, { filters: { category: ['Jackets'] } }, [7, 6, 5])).ids).toEqual([4, 5, 6, 7, 8]);
  });

  test('has no place for a product that was created since the load', async () => {
    const products = SHOP.map(productOf);
    const catalog = writtenCatalog(products);
    const stored = { number: 7, content: {}, ranked: int4s([11, 7, 6]) };
    const make = () => new Search({ ...catalog.reader, tuning: async () => stored }, { ...options, tuning: () => 7 });
    const early = make();
    const query = queryOf({ q: 'winter jacket', count: 100 });
    expect((await early.search('1', query)).ids).toEqual([7, 6, 4, 5]);
    catalog.become([...products, { ...products[3], id: 11 }]);
    await early.currentIndex.follow();
    for (const search of [early, make()]) expect((await search.search('1', query)).ids).toEqual([7, 6, 4, 11, 5]);
  });
});

test('a tuning that cannot be read is read again by the next search', async () => {
  let reads = 0;
  const tuning = async () => {
    reads += 1;
    if (reads === 1) throw new Error('away');
    return { number: 7, content: { synonyms: [['kicks', 'sneakers']] }, ranked: null };
  };
  const search = new Search({ ...readerOf(buildTables(SHOP.map(productOf))), tuning }, { ...options, tuning: () => 7 });
  const query = queryOf({ q: 'kicks', count: 100 });
  await expect(search.search('1', query)).rejects.toThrow('away');
  expect([(await search.search('1', query)).ids, (await search.search('1', query)).ids, reads]).toEqual([[2], [2], 2]);
});
