'use strict';
const { distribution, zipfRank } = require('./random');
const words = require('./vocabulary.json');
/** @import { Product, Style } from './edges' */

/** @typedef {(bound: number) => number} Random */

// Means of the real set (1,000,011 products): 1.96, 2.2 and 4.5 per product, 2.9 and 5.8 per style.
const stylesPerProduct = distribution([30, 410, 300, 150, 70, 25, 15]);
const featuresPerProduct = distribution([80, 220, 300, 240, 110, 50]);
const relatedPerProduct = distribution([40, 60, 90, 130, 175, 180, 140, 95, 60, 30]);
const photosPerStyle = distribution([50, 165, 220, 220, 160, 105, 80]);
const skusPerStyle = distribution([20, 35, 10, 20, 40, 75, 470, 130, 100, 55, 45]);

const hexQuads = Array.from({ length: 65536 }, (_, n) => n.toString(16).padStart(4, '0'));
const widths = ['668', '1000', '1350', '1650', '2734'];

/** @param {string[]} lines @returns {string[]} */
const wordsIn = (lines) => lines.join(' ').split(' ');
const [adjectives, colors, cloths] = [words.adjectives, words.colors, words.japaneseCloths].map(wordsIn);
/** Words that are in no dictionary, of four kinds: brand, place, fabric, finish. Each joins one part of every list of its kind. */
const coined = Object.values(words.coined).map((kind) => {
  const lists = kind.map(wordsIn);
  return { lists, octaves: lists.reduce((sum, { length }) => sum + Math.log2(length), 0) };
});

/** @template T @param {Random} random @param {T[]} from @returns {T} */
const pick = (random, from) => from[random(from.length)];

/** @param {Random} random @param {Uint8Array} counts */
const count = (random, counts) => counts[random(1000)];

/**
 * As long as real ones (105 or 131 characters): photos are two thirds of all bytes.
 * @param {Random} random
 * @returns {[url: string, thumbnailUrl: string]}
 */
function randomPhoto(random) {
  const taken = `14${100000 + random(900000)}${10000 + random(90000)}`;
  const key = hexQuads[random(65536)] + hexQuads[random(65536)] + hexQuads[random(65536)];
  const session = random(100) < 45 ? '&ixid=eyJhcHBfaWQiOjEyMDd9' : '';
  const url = `https://images.example.com/photo-${taken}-${key}?ixlib=rb-1.2.1${session}&auto=format&fit=crop&w=`;
  return [`${url}${pick(random, widths)}&q=80`, `${url}300&q=80`];
}

/** @param {Random} random @param {string} kind of sizes @returns {[size: string, quantity: number][]} */
function randomSkus(random, kind) {
  const rows = count(random, skusPerStyle);
  if (rows === 1 || (kind === 'one' && rows > 0 && random(2) === 0)) {
    return [['One Size', random(60)]];
  }
  const sizes = kind === 'shoes' ? words.sizes.shoes : words.sizes.letters;
  return Array.from({ length: rows }, (_, n) => [sizes[n % sizes.length], random(60)]);
}

/** @param {Random} random @param {number} whole @returns {string} mostly whole, as in the real set */
const withCents = (random, whole) => (random(8) === 0 ? `${whole}.${10 + random(90)}` : `${whole}`);

/**
 * @param {Random} random
 * @param {number} price
 * @param {string} kind of sizes
 * @param {boolean} isDefault
 * @returns {Style}
 */
function randomStyle(random, price, kind, isDefault) {
  const color = pick(random, colors);
  return {
    name: random(3) === 0 ? `${color} & ${pick(random, colors)}` : color,
    originalPrice: withCents(random, price),
    salePrice: random(4) === 0 ? withCents(random, 1 + random(price)) : null,
    isDefault,
    photos: Array.from({ length: count(random, photosPerStyle) }, () => randomPhoto(random)),
    skus: randomSkus(random, kind),
    swapped: random(25) === 0,
  };
}

/** @param {Random} random @returns {[feature: string, value: string | null]} */
function randomFeature(random) {
  const { name, values } = pick(random, words.features);
  return [name, pick(random, values)];
}

/** Few words come often, and most of them rarely. @param {Random} random @param {(typeof coined)[number]} kind @returns {string} */
function coin(random, { lists, octaves }) {
  let rest = (zipfRank(random, octaves) * 2531) % 2 ** octaves; // the odd factor gives neighbouring ranks unlike words
  let word = '';
  for (const parts of lists) {
    word += parts[rest % parts.length];
    rest = Math.floor(rest / parts.length);
  }
  return word;
}

/** @param {Random} random @param {string} first adjective @param {string} rest of the name @param {string} japanese noun */
function randomName(random, first, rest, japanese) {
  const kind = random(100);
  if (kind < 55) return `${first} ${rest}`;
  if (kind < 75) return rest;
  if (kind < 93) return `${coin(random, pick(random, coined))} ${rest}`;
  if (kind < 96) return pick(random, cloths) + japanese;
  return pick(random, words.oddNames).replace('*', rest);
}

/** @param {Random} random @returns {string} a sentence with a word of each kind */
function randomMaker(random) {
  const [brand, place, fabric, finish] = coined.map((kind) => coin(random, kind));
  return `${finish} ${fabric.toLowerCase()} from ${place}, cut by ${brand}.`;
}

/** @param {Random} random @param {Random} wording @returns {string} about 200 characters */
function randomDescription(random, wording) {
  const oddity = random(40) === 0 ? ` ${pick(random, words.oddities)}` : '';
  const start = `${pick(random, words.openings)} ${pick(random, words.middles)}`;
  const closing = pick(random, words.closings);
  return `${start} ${wording(2) === 0 ? randomMaker(wording) : closing}${oddity}`;
}

/**
 * @param {Random} random @param {Random} wording chance of its own: other words change no price, photo or size
 * @param {number} products in the whole set, for related ones
 * @returns {Product}
 */
function randomProduct(random, wording, products) {
  const { name: category, nouns, sizes, japanese } = pick(random, words.categories);
  const price = 10 + random(490);
  const styles = count(random, stylesPerProduct);
  const defaultStyle = random(20) === 0 ? -1 : random(3) === 0 ? random(styles) : 0;
  const [first, second] = [pick(random, adjectives), pick(random, adjectives)];
  const name = randomName(wording, first, `${second} ${pick(random, nouns)}`, japanese);
  const slogan = pick(random, words.slogans);
  return {
    name,
    slogan: wording(3) === 0 ? pick(wording, words.slogansOf).replace('*', coin(wording, coined[1])) : slogan,
    description: randomDescription(random, wording),
    category,
    price: withCents(random, price),
    styles: Array.from({ length: styles }, (_, n) => randomStyle(random, price, sizes, n === defaultStyle)),
    features: Array.from({ length: count(random, featuresPerProduct) }, () => randomFeature(random)),
    related: Array.from({ length: count(random, relatedPerProduct) }, () => random(products)),
  };
}

module.exports = { randomProduct };
