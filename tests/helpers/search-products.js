'use strict';

const { randomValues } = require('./search-fields');

/** @typedef {import('./search-fields').Values} Values */
/**
 * @typedef {object} Product as the loader sees it, with what search needs of its card
 * @property {number} id
 * @property {string} name @property {string} slogan @property {string} description @property {string} category
 * @property {string} price of its card
 * @property {boolean} onSale
 * @property {{ name: string, value: string | null }[]} features
 * @property {{ name: string, fields?: Values, skus: { size: string, quantity: number, fields?: Values }[] }[]} styles
 * @property {Values} [fields] those that the shop declares
 */

const WORDS = [
  'jacket',
  'jackets',
  'jacke',
  'jackal',
  'Jäckchen',
  'packet',
  'parka',
  'Parka',
  'red',
  'bed',
  'for',
  'raincoat',
  'rain',
  'coat',
  'knife',
  'knives',
  'T-Shirt',
  'tshirt',
  'green',
  'greens',
  'gréen',
  'running',
  'runnings',
  'waterproof',
  'waterprof',
  'wateproof',
  'windproof',
  'windbreaker',
  'windbreakers',
  'café',
  'CAFE',
  '501',
  '501xx',
  'x',
  'xl',
  'Straße',
  'strasse',
  'Øresund',
  "men's",
  'mens',
  'man',
  'shirts',
  'the',
  'iPhone15',
  '15',
  '9½',
  'AB-1234-X',
  'İstanbul',
  'ﬁne',
  '<b>bold</b>',
  'a&amp;b',
  'rock’n’roll',
  'ΣΑΣ',
  'デニム',
  'ジャケット',
  'ﾃﾞﾆﾑ',
  '服',
  '服装',
  '東京デニムjacket',
  '한국어',
  '々々',
  'пальто',
  'пальта',
  '\u{20000}\u{20001}',
  'が',
  'shoe',
  'shoes',
  'shirt',
  'shirts',
  'short',
  'shorts',
  'sport',
  'sports',
  'canvas',
  'cotton',
  'linen',
  'w'.repeat(70),
];
const CATEGORIES = ['Jackets', 'Shoes', 'Green Parkas', 'デニム', 'Ähnlich=100%', '', '<i>Hats</i>', 'jackets', 'Rare'];
const SIZES = ['XS', 'S', 'M', 'L', 'XL', '7', '7.5', '10', 'one size', 'Größe 4'];
const FEATURES = ['Fabric', 'Cut', 'a=b%', 'Fabric%3D', 'Farbe 色'];
const VALUES = ['Canvas', 'Cotton', 'loose', '100%', 'x=y', '綿', 'canvas', 'Waterproof Mesh', 'v'.repeat(201), null];
const PRICES = [
  '0.00',
  '9.99',
  '10.00',
  '10.50',
  '99.00',
  '100.00',
  '140.00',
  '140.01',
  '999999999999999999.99',
  '7.00',
];

/** Random numbers that are the same in each run. @param {number} seed @returns {() => number} 0 to below 1 */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {() => number} random */
function picking(random) {
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  return {
    below,
    chance: (/** @type {number} */ share) => random() < share,
    /** The first ones come more often. @template T @param {T[]} list @returns {T} */
    pick: (list) => list[Math.floor(random() ** 2 * list.length)],
    /** @template T @param {number} most @param {() => T} make @returns {T[]} */
    some: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}

/**
 * Products whose words, prices and names collide.
 * @param {number} count @param {number} seed
 * @returns {Product[]} in id order, with gaps
 */
function randomProducts(count, seed) {
  const random = picking(seeded(seed));
  const { below, chance, pick, some } = random;
  const text = (/** @type {number} */ most) => some(most, () => pick(WORDS)).join(pick([' ', '-', ', ', '　']));
  let id = below(5);
  return Array.from({ length: count }, () => {
    id += 1 + (chance(0.1) ? below(1000) : 0);
    return {
      id,
      name: text(3) || pick(['Jacket', 'jacket', 'JACKET', 'jácket']),
      slogan: text(4),
      description: text(8),
      category: chance(0.002) ? 'Rare' : pick(CATEGORIES),
      price: pick(PRICES),
      onSale: chance(0.3),
      features: some(3, () => ({ name: pick(FEATURES), value: pick(VALUES) })),
      styles: some(3, () => ({
        name: text(2),
        skus: some(4, () => ({
          size: pick(SIZES),
          quantity: chance(0.5) ? 0 : below(9),
          fields: randomValues('skus', random),
        })),
        fields: randomValues('styles', random),
      })),
      fields: randomValues('products', random),
    };
  });
}

/** @param {Partial<import('../../server/search/answers/query').Query>} [changes] @returns {import('../../server/search/answers/query').Query} */
const queryOf = (changes) => ({
  q: '',
  filters: {},
  onSale: false,
  inStock: false,
  minPrice: null,
  maxPrice: null,
  sort: null,
  count: 5,
  page: 1,
  after: null,
  facets: [],
  facetValues: 20,
  ...changes,
});

/** @param {Partial<Product>} changes @param {number} index @returns {Product} */
const productOf = (changes, index) => ({
  id: index + 1,
  name: '',
  slogan: '',
  description: '',
  category: 'Other',
  price: '1.00',
  onSale: false,
  features: [],
  styles: [],
  ...changes,
});

module.exports = {
  productOf,
  queryOf,
  CATEGORIES,
  FEATURES,
  PRICES,
  SIZES,
  VALUES,
  WORDS,
  picking,
  randomProducts,
  seeded,
};
