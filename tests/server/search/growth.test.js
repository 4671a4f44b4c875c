'use strict';

const { Search } = require('../../../server/search/search');
const { queryOf, randomProducts } = require('../../helpers/search-products');
const { writtenCatalog } = require('../../helpers/search-writes');

/** @typedef {import('../../helpers/search-products').Product} Product */

const PRODUCTS = 60;
const ROUNDS = 40;
const ANY = queryOf({ count: 1, facetValues: 1 });

/** A product with texts, values and a price that no other has had. @param {Product} product @param {number} round @returns {Product} */
const unique = ({ id }, round) => ({
  id,
  name: `name${id}x${round}`,
  slogan: `slogan${id}x${round}`,
  description: 'a text',
  category: `C${id}x${round}`,
  price: `${round + 1}.${String(id).padStart(2, '0').slice(-2)}`,
  onSale: round % 2 === 0,
  features: [{ name: `F${id}x${round}`, value: `V${id}x${round}` }],
  styles: [{ name: `style${id}x${round}`, skus: [{ size: `S${id}x${round}`, quantity: round % 3 }] }],
});

/** Sizes that may grow in a worker. @param {Search} search */
async function sizesOf(search) {
  const { parts } = (await search.currentIndex.of('1').follower).state.index;
  const { bytes, products } = search.currentIndex.written;
  return {
    bytes,
    products,
    words: parts.dictionary.length,
    wordBytes: parts.dictionary.starts[parts.dictionary.length],
    facets: parts.facets.size,
    features: parts.features.size,
    named: parts.byName.length,
    values: [...parts.facets.values()].flat().length,
    prices: parts.scales.get('price')?.order.length,
    all: parts.all.count,
    spare: parts.spare.length,
  };
}

/** @type {[name: string, next: (loaded: Product[], round: number) => Product[]][]} */
const KINDS = [
  ['all products changed each time', (loaded, round) => loaded.map((product) => unique(product, round))],
  [
    'one product created and deleted each time, under other ids',
    (loaded, round) => [...loaded, unique({ ...loaded[0], id: 10_000 + round }, round)],
  ],
  ['products deleted and created again', (loaded, round) => loaded.filter(({ id }) => (id + round) % 2 === 0)],
];

test.each(KINDS)('what a worker holds after %s is what a worker holds that starts then', async (_, next) => {
  const loaded = randomProducts(PRODUCTS, 3);
  const catalog = writtenCatalog(loaded);
  const search = new Search(catalog.reader, { maxBytes: 2 ** 20 });
  await search.search('1', ANY);
  for (let round = 0; round < ROUNDS; round += 1) {
    catalog.become(next(loaded, round));
    await search.currentIndex.follow();
  }
  const late = new Search(catalog.reader, { maxBytes: 2 ** 20 });
  await late.search('1', ANY);
  expect(search.currentIndex.written.seq).toBe(catalog.seq);
  expect(await sizesOf(search)).toEqual(await sizesOf(late));
  const { ids } = (await search.currentIndex.of('1').follower).state.index;
  expect(ids.length).toBeLessThanOrEqual(PRODUCTS + 2);
  catalog.become(loaded);
  await search.currentIndex.follow();
  expect(search.currentIndex.written).toEqual({ seq: catalog.seq, isFull: false, bytes: 0, products: 0 });
});
