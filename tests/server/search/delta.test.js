'use strict';

const { Search } = require('../../../server/search/search');
const { buildTables, readerOf } = require('../../helpers/search-index');
const { picking, randomProducts, seeded } = require('../../helpers/search-products');
const { randomQuery } = require('../../helpers/search-queries');
const { writtenCatalog } = require('../../helpers/search-writes');

/** Answers without the text of their cursors: places in cursors are those of an order. @param {import('../../../server/search/answers/answer').Answer} answer */
const shown = ({ next, query: words, ...answer }) => ({ ...answer, words, next: next !== null });
const options = { maxBytes: 2 ** 20 };

describe.each([
  { products: 1, writes: 3, rounds: 4, seed: 1 },
  { products: 23, writes: 5, rounds: 6, seed: 2 },
  { products: 350, writes: 30, rounds: 4, seed: 3 },
])('after random writes to $products products', ({ products: size, writes, rounds, seed }) => {
  test('every answer is that of a load of the same products', async () => {
    const random = picking(seeded(seed));
    const catalog = writtenCatalog(randomProducts(size, seed));
    const search = new Search(catalog.reader, options);
    await search.search('1', randomQuery(random));
    for (let round = 0; round < rounds; round += 1) {
      catalog.write(random, writes);
      await search.currentIndex.follow();
      const late = new Search(catalog.reader, options);
      await late.search('1', randomQuery(random));
      expect(late.currentIndex.written).toEqual(search.currentIndex.written);
      const fresh = new Search(readerOf(buildTables(catalog.products)), options);
      for (let asked = 0; asked < 100; asked += 1) {
        const query = randomQuery(random);
        const wanted = { query, ...shown(await fresh.search('1', query)) };
        for (const each of [search, late])
          expect({ query, ...shown(await each.search('1', query)) }).toEqual({ ...wanted, cursor: `1.${round + 2}` });
        const suggested = await search.suggest('1', query.q, 10);
        expect({ q: query.q, ...suggested }).toEqual({ q: query.q, ...(await fresh.suggest('1', query.q, 10)) });
      }
    }
  });
});
