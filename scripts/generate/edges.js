'use strict';

/**
 * @typedef {object} Style
 * @property {string} name
 * @property {string} originalPrice
 * @property {string | null} salePrice
 * @property {boolean} isDefault
 * @property {[url: string, thumbnailUrl: string][]} photos in file order
 * @property {[size: string, quantity: number][]} skus in file order
 * @property {boolean} [swapped] the first photo and the first sku have higher ids than the second ones
 */

/**
 * @typedef {object} Product
 * @property {string} name
 * @property {string} slogan
 * @property {string} description
 * @property {string} category
 * @property {string} price
 * @property {Style[]} styles
 * @property {[feature: string, value: string | null][]} features
 * @property {number[]} related positions in the product file, from 0
 */

/** @param {string} name @returns {[string, string]} */
const photo = (name) => [
  `https://images.example.com/${name}?w=668&q=80`,
  `https://images.example.com/${name}?w=300&q=80`,
];

/** @param {string} list `S 8, One Size 12` @returns {[size: string, quantity: number][]} */
const skus = (list) =>
  [...list.matchAll(/(\S.*?) (\d+)(?:, |$)/g)].map(([, size, quantity]) => [size, Number(quantity)]);

/** @param {Partial<Style>} changes @returns {Style} */
const style = (changes) => ({
  name: 'Black',
  originalPrice: '140',
  salePrice: null,
  isDefault: false,
  photos: [photo('front'), photo('back')],
  skus: skus('S 8, M 16'),
  ...changes,
});

/** @param {Partial<Product>} changes @returns {Product} */
const product = (changes) => ({
  name: 'Plain Parka',
  slogan: 'A quiet word in a loud room',
  description: 'The seams are taped, the pockets are deep and the buttons are sewn on to stay.',
  category: 'Jackets',
  price: '140',
  styles: [style({ isDefault: true })],
  features: [['Fabric', 'Canvas']],
  related: [0, 1],
  ...changes,
});

/**
 * The first products of every set, one for each edge of the contract. The id is the position + 1.
 * @type {(Product & { edge: string })[]}
 */
const edges = [
  {
    edge: 'full: default not first, photo and sku ids out of order, a repeated size, sale and no sale',
    ...product({
      name: 'Camo Anorak',
      features: [
        ['Fabric', 'Canvas'],
        ['Buttons', 'Brass'],
      ],
      related: [1, 2, 7, 6],
      styles: [
        style({
          name: 'Forest Green & Black',
          salePrice: '100',
          swapped: true,
          photos: [photo('forest-1'), photo('forest-2'), photo('forest-3')],
          skus: skus('XS 8, S 16, XL 15, XL 4'),
        }),
        style({ name: 'Desert Brown & Tan', isDefault: true }),
        style({ name: 'Ocean Blue', originalPrice: '170', skus: skus('M 0') }),
      ],
    }),
  },
  {
    edge: 'styles without photos and skus: neither, photos only, skus only',
    ...product({
      name: 'Bright Sunglasses',
      category: 'Accessories',
      styles: [
        style({ name: 'Gold Lenses', photos: [], skus: [], isDefault: true }),
        style({ name: 'Black Lenses', skus: [] }),
        style({ name: 'Clear Lenses', photos: [], skus: skus('One Size 12') }),
      ],
    }),
  },
  { edge: 'no styles', ...product({ name: 'Morning Joggers', category: 'Pants', styles: [] }) },
  { edge: 'no features', ...product({ name: 'Slow Slacks', category: 'Pants', features: [] }) },
  { edge: 'no related', ...product({ name: 'Air Runners', category: 'Kicks', related: [] }) },
  {
    edge: 'no default style',
    ...product({ name: 'Two Tone Blazer', styles: [style({}), style({ name: 'White' })] }),
  },
  {
    edge: 'repeated and self related',
    ...product({ name: 'Mirror Polo', category: 'Shirts', related: [6, 2, 2, 0, 6] }),
  },
  {
    edge: 'a feature with a null value, a duplicated feature',
    ...product({
      name: 'Certified Tee',
      category: 'Shirts',
      features: [
        ['UV Protection', null],
        ['Fabric', '100% Cotton'],
        ['Fabric', '100% Cotton'],
        ['Note', 'null'],
      ],
    }),
  },
  {
    edge: 'a broken URL',
    ...product({
      name: 'Broken Link Cap',
      category: 'Accessories',
      styles: [style({ isDefault: true, photos: [['uhttps://images.example.com/cap', ''], photo('cap')] })],
    }),
  },
  {
    edge: 'text that breaks escapers: quotes, commas, non-ASCII, backslash, markup',
    ...product({
      name: 'Größe "Ω" Café, 日本 🧵',
      slogan: 'She said ""yes"", twice',
      description: 'Back\\slash, <b>&amp;</b>, tab\there, "quoted, with a comma", \u2028 and {"json": [1]}',
      styles: [style({ name: 'Bleu "nuit", été', isDefault: true })],
      features: [['Länge', '30" (76 cm)']],
    }),
  },
  {
    edge: 'prices: none, cents, one decimal, a trailing zero, more than cents, large',
    ...product({
      name: 'Odd Price Belt',
      category: 'Accessories',
      price: '49.99',
      styles: [
        style({ name: 'Free', originalPrice: '0', salePrice: '0', isDefault: true }),
        style({ name: 'Decimal', originalPrice: '49.5', salePrice: '49.50' }),
        style({ name: 'Precise', originalPrice: '19.999', salePrice: '0.1' }),
        style({ name: 'Infinite', originalPrice: '500000000', salePrice: '499999999.99' }),
      ],
    }),
  },
  {
    edge: 'sizes as text: whole, half, letters, One Size',
    ...product({
      name: 'Half Size Brogues',
      category: 'Dress Shoes',
      styles: [style({ isDefault: true, skus: skus('7 3, 7.5 2147483647, XL 0, One Size 5') })],
    }),
  },
];

module.exports = { edges };
