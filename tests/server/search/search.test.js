'use strict';

const { Search } = require('../../../server/search/search');
const { buildTables, readerOf } = require('../../helpers/search-index');
const { productOf, queryOf: query, randomProducts } = require('../../helpers/search-products');

/** @typedef {import('../../helpers/search-products').Product} Product */

const options = { maxBytes: 2 ** 20 };
/** @param {Partial<Product>[]} products */
const searchOver = (products) => new Search(readerOf(buildTables(products.map(productOf))), options);
const sku = (/** @type {string} */ size, /** @type {number} */ quantity) => ({ name: '', skus: [{ size, quantity }] });

describe('what shops miss elsewhere', () => {
  const shop = searchOver([
    { name: 'Jacket', description: 'a bed' },
    { name: 'Green thing', category: 'Parka' },
    { name: 'デニム ジャケット' },
    { name: 'Red jackets', styles: [sku('M', 0), sku('L', 3)] },
    { name: 'Bold', slogan: '<b>jacket</b>', styles: [sku('M', 2)] },
    { description: `${'服'.repeat(298)}終了` },
  ]);

  test.each([
    ['jac', [4, 1, 5]],
    ['jackte', [1, 4, 5]],
    ['JACKÉT', [1, 4, 5]],
    ['green parka', [2]],
    ['デニム', [3]],
    ['red', [4]],
    ['jacket -red', [1, 5]],
    ['-jackets', [2, 3, 6]],
    ['終了', [6]],
  ])('%s', async (q, ids) => {
    expect((await shop.search('1', query({ q, sort: 'relevance' }))).ids).toEqual(ids);
  });

  test('a size that is sold out is not in stock, and the facets say so', async () => {
    const wanted = query({ filters: { size: ['M'] }, inStock: true, facets: ['size', 'in_stock'] });
    const { ids, facets } = await shop.search('1', wanted);
    const own = await shop.search('1', { ...wanted, inStock: false });
    expect([ids, own.ids]).toEqual([[5], [4, 5]]);
    expect(facets).toEqual([
      { name: 'size', values: [{ value: 'M', count: 1, selected: true }, { value: 'L', count: 1, selected: false }], more: 0 }, // prettier-ignore
      { name: 'in_stock', values: [{ value: 'true', count: 1, selected: true }], more: 0 },
    ]);
  });

  test('words that no product has together are dropped, the most frequent first', async () => {
    const { query: report, ids } = await shop.search('1', query({ q: 'bed jacket green nonsense' }));
    expect([report.ignored, ids]).toEqual([['bed', 'jacket', 'nonsense'], [2]]);
    const nothing = await shop.search('1', query({ q: 'nonsense', facets: ['category', 'price'] }));
    expect(nothing).toEqual({
      loadId: 1,
      cursor: '1.1',
      total: 0,
      ids: [],
      next: null,
      query: { words: [], optional: [], ignored: ['nonsense'] },
      facets: [
        { name: 'category', values: [], more: 0 },
        { name: 'price', min: null, max: null, values: [] },
      ],
      fields: expect.any(Map),
    });
  });
});

describe('filters that leave no product with the words', () => {
  const shop = searchOver([
    { name: 'jacket', category: 'A' },
    { name: 'jacket', category: 'B' },
    { name: 'belt', category: 'C' },
  ]);

  test.each([['C'], ['None']])(
    'category=%s: its siblings keep their counts, and no word is called missing',
    async (own) => {
      const wanted = query({ q: 'jacket nonsense', filters: { category: [own] }, facets: ['category'] });
      const { total, query: report, facets } = await shop.search('1', wanted);
      expect([total, report.words.map(({ word }) => word), report.ignored]).toEqual([0, ['jacket'], ['nonsense']]);
      expect(facets[0].values).toEqual([
        { value: 'A', count: 1, selected: false },
        { value: 'B', count: 1, selected: false },
        { value: own, count: 0, selected: true },
      ]);
    },
  );
});

describe('5,000 products of one price', () => {
  const shop = searchOver(Array.from({ length: 5000 }, (_, index) => ({ name: index % 2 ? 'a' : 'b' })));

  test.each(/** @type {const} */ (['price', '-price', 'name', '-name']))(
    'sort=%s walks each once, by page and cursor',
    async (sort) => {
      const byPage = [];
      const byCursor = [];
      let after = null;
      for (let page = 1; page <= 8; page += 1) {
        byPage.push(...(await shop.search('1', query({ sort, page, count: 700 }))).ids);
        const next = await shop.search('1', query({ sort, after, count: 700 }));
        byCursor.push(...next.ids);
        after = next.next;
      }
      expect(after).toBeNull();
      expect(byCursor).toEqual(byPage);
      const ids = Array.from({ length: 5000 }, (_, index) => index + 1);
      const odd = ids.filter((id) => id % 2 === 0);
      const even = ids.filter((id) => id % 2 === 1);
      const ascending = sort.endsWith('price') ? ids : [...odd, ...even];
      expect(byPage).toEqual(sort.startsWith('-') ? ascending.reverse() : ascending);
    },
  );
});

describe('a cursor', () => {
  const products = randomProducts(300, 8);
  const shop = new Search(readerOf(buildTables(products)), options);
  const sorts = /** @type {const} */ ([
    'relevance',
    'id',
    'price',
    '-price',
    'name',
    '-name',
    'newest',
    'field.weight_g',
  ]);
  const ends = [
    ...sorts.map((sort) => /** @type {const} */ ([sort, 100])),
    /** @type {const} */ (['-field.weight_g', 100]),
    /** @type {const} */ (['-field.weight_g', 250]), // behind those with a value
  ];

  test('belongs to its query, however that is spelled', async () => {
    const first = query({
      q: 'Jacket  red -bed',
      filters: { size: ['M', 'L', 'M'], category: ['Jackets'] },
      minPrice: '0.50',
      count: 1,
    });
    const { next: after } = await shop
      .search('1', { ...first, count: 0, filters: {} })
      .then(() => shop.search('1', first));
    expect(after).toMatch(/^c1\.[\w-]{22}$/);
    const same = {
      q: 'jácket red -BED',
      filters: { category: ['Jackets'], size: ['L', 'M'] },
      minPrice: '00.5',
      count: 9,
      after,
    };
    await expect(shop.search('1', query({ ...same, sort: 'relevance' }))).resolves.toHaveProperty('ids');
    for (const other of [
      { q: 'red jacket -bed' },
      { sort: 'id' },
      { inStock: true },
      { onSale: true },
      { minPrice: '0.51' },
      { maxPrice: '9' },
      { filters: {} },
      { filters: { ...same.filters, 'field.brand': ['Acme'] } },
      { sort: 'field.weight_g' },
    ]) {
      // prettier-ignore
      const changed = shop.search('1', query({ ...same, .../** @type {Parameters<typeof query>[0]} */ (other) }));
      await expect(changed).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('another query or sort'),
      });
    }
  });

  test.each(['', 'c1.', 'x', 'c1.AAAA', `c2.${'A'.repeat(22)}`, `c1.${'A'.repeat(23)}`, `c1.${'!'.repeat(22)}`])(
    'that is garbage (%s) is refused',
    async (after) => {
      const asked = shop.search('1', query({ after }));
      await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('value of next') });
    },
  );

  test.each(ends)('continues behind its product after a load without others, %s, %d', async (sort, count) => {
    const all = (await shop.search('1', query({ sort, count: 1000 }))).ids;
    const { next: after, ids } = await shop.search('1', query({ sort, count }));
    const gone = new Set([all[3], all[50], all[101], all[260]]);
    const fewer = new Search(readerOf(buildTables(products.filter(({ id }) => !gone.has(id)))), options);
    const rest = await fewer.search('1', query({ sort, after, count: 1000 }));
    expect(rest.ids).toEqual(all.slice(ids.length).filter((id) => !gone.has(id)));
  });

  test.each(ends)('of a product that is gone continues with the one behind it, %s, %d', async (sort, count) => {
    const all = (await shop.search('1', query({ sort, count: 1000 }))).ids;
    const { next: after, ids } = await shop.search('1', query({ sort, count }));
    const fewer = new Search(readerOf(buildTables(products.filter(({ id }) => id !== ids.at(-1)))), options);
    const rest = await fewer.search('1', query({ sort, after, count: 1000 }));
    expect(rest.ids).toEqual(all.slice(count));
  });

  test('by relevance follows its product into another segment', async () => {
    const stocked = (/** @type {number[]} */ ids) =>
      searchOver([1, 2, 3, 4, 5, 6].map((id) => ({ name: 'jacket', styles: ids.includes(id) ? [sku('M', 1)] : [] })));
    const { ids, next: after } = await stocked([2, 3, 5]).search('1', query({ q: 'jacket', count: 2 }));
    expect(ids).toEqual([2, 3]);
    expect((await stocked([2, 5]).search('1', query({ q: 'jacket', count: 9, after }))).ids).toEqual([4, 6]);
  });

  test('of a catalog that is empty now gives an empty page', async () => {
    const { next: after } = await shop.search('1', query({ sort: 'price' }));
    const empty = new Search(readerOf(buildTables([])), options);
    expect(await empty.search('1', query({ sort: 'price', after }))).toMatchObject({ total: 0, ids: [], next: null });
  });
});

describe('suggestions', () => {
  const shop = searchOver([
    { name: 'green jacket', category: 'Jackets' },
    { name: 'green jackets', category: 'Rain Jackets' },
    { name: 'jackets', category: '服装' },
    { name: 'jars green', category: 'Ja' },
  ]);
  const [jacket, jackets, jars, ja] = ['jacket', 'jackets', 'jars', 'ja'];

  test.each([
    ['ja', 3, [[jackets, 3], [ja, 1], [jacket, 1]], [['Ja', 1], ['Jackets', 1], ['Rain Jackets', 1]]], // prettier-ignore
    ['green ja', 9, [[jackets, 2], [ja, 1], [jacket, 1], [jars, 1]], []], // prettier-ignore
    ['rain jack', 9, [[jackets, 1]], [['Rain Jackets', 1]]], // prettier-ignore
    ['jack rain', 9, [], []],
    ['服装', 9, [['服装', 1]], [['服装', 1]]],
    ['', 9, [], []],
    ['nothing', 9, [], []],
  ])('of %s', async (q, count, words, categories) => {
    const pairs = (/** @type {{ value: string, count: number }[]} */ list) =>
      list.map((each) => [each.value, each.count]);
    const suggestions = await shop.suggest('1', q, count);
    expect([pairs(suggestions.words), pairs(suggestions.categories)]).toEqual([words, categories]);
  });
});
