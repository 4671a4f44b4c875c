'use strict';
const described = require('./edges.json');

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

/** @typedef {Partial<Omit<Style, 'photos' | 'skus'>> & { photos?: (string | [string, string])[], skus?: string }} StyleChanges */

/** @param {string | [string, string]} name or both URLs @returns {[string, string]} */
const photo = (name) =>
  typeof name === 'string'
    ? [`https://images.example.com/${name}?w=668&q=80`, `https://images.example.com/${name}?w=300&q=80`]
    : name;

/** @param {string} list `S 8, One Size 12` @returns {[size: string, quantity: number][]} */
const skusOf = (list) =>
  [...list.matchAll(/(\S.*?) (\d+)(?:, |$)/g)].map(([, size, quantity]) => [size, Number(quantity)]);

/** @param {StyleChanges} changes @returns {Style} */
const style = ({ photos = ['front', 'back'], skus = 'S 8, M 16', ...changes }) => ({
  name: 'Black',
  originalPrice: '140',
  salePrice: null,
  isDefault: false,
  photos: photos.map(photo),
  skus: skusOf(skus),
  ...changes,
});

/** @param {Partial<Omit<Product, 'styles'>> & { edge: string, styles?: StyleChanges[] }} changes @returns {Product & { edge: string }} */
const product = ({ styles = [{ isDefault: true }], ...changes }) => ({
  name: 'Plain Parka',
  slogan: 'A quiet word in a loud room',
  description: 'The seams are taped, the pockets are deep and the buttons are sewn on to stay.',
  category: 'Jackets',
  price: '140',
  styles: styles.map(style),
  features: [['Fabric', 'Canvas']],
  related: [0, 1],
  ...changes,
});

/** The first products of every set, one for each edge of the contract, as changes of a plain one. The id is the position + 1. */
const edges = /** @type {any[]} */ (described).map(product);

module.exports = { edges };
