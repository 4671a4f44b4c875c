'use strict';

const { fold, indexedWords, isUnspaced } = require('../../server/client/words.js');

const { DECLARATION, FIELDS, textsOf } = require('./search-fields');
const { int4s, scaleBlobs } = require('./search-scales');

const CHUNK = 65_536;
const MAX_KEY_CHARACTERS = 200;

/** @typedef {import('./search-products').Product} Product */
/** @typedef {{ blobs: Map<string, Buffer>, sets: Map<string, number[]>, size: number }} Tables `sets`: positions by key */

/** The words of each class of a product. @param {Product} product */
function classesOf(product) {
  const fields = (/** @type {string} */ search) =>
    FIELDS.filter((field) => field.search === search).flatMap(({ name }) => textsOf(product, name));
  const n = [product.name, ...fields('name')].flatMap(indexedWords);
  const attributes = [
    product.category,
    ...product.features.map(({ value }) => value ?? ''),
    ...product.styles.map(({ name }) => name),
    ...fields('attribute'),
  ];
  const m = [...n, ...attributes.flatMap(indexedWords)];
  const a = [...m, ...[product.slogan, product.description, ...fields('text')].flatMap(indexedWords)];
  return { n: new Set(n), m: new Set(m), a: new Set(a) };
}

/** The facet values of a product. @param {Product} product @returns {[facet: string, value: string][]} */
function valuesOf(product) {
  const skus = product.styles.flatMap(({ skus: own }) => own);
  /** @type {[string, string][]} */
  const values = [
    ['category', product.category],
    ...skus.map(({ size }) => /** @type {[string, string]} */ (['size', size])),
    ...skus
      .filter(({ quantity }) => quantity > 0)
      .map(({ size }) => /** @type {[string, string]} */ (['stock.size', size])),
  ];
  if (product.onSale) values.push(['on_sale', 'true']);
  if (skus.some(({ quantity }) => quantity > 0)) values.push(['in_stock', 'true']);
  for (const { name, value } of product.features) if (value !== null) values.push([`feature.${name}`, value]);
  for (const { name, type } of FIELDS.filter(({ facet }) => facet))
    if (type !== 'number' && type !== 'date')
      for (const text of textsOf(product, name)) values.push([`field.${name}`, text]);
  const unique = new Map(values.map((pair) => [JSON.stringify(pair), pair]));
  return [...unique.values()].filter(([, value]) => [...value].length <= MAX_KEY_CHARACTERS);
}

/** @param {string} facet @param {string} value */
function keyOf(facet, value) {
  if (facet === 'on_sale' || facet === 'in_stock') return `f:${facet}`;
  const [, prefix, name] = /** @type {RegExpExecArray} */ (/^(feature\.|)(.*)$/su.exec(facet));
  return `f:${prefix}${prefix ? name.replace(/%/g, '%25').replace(/=/g, '%3D') : name}=${value}`;
}

const byBytes = (/** @type {string} */ a, /** @type {string} */ b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Positions of products by price, then id, and the first rank of each price. @param {Product[]} products */
function priceBlobs(products) {
  const cents = products.map(({ price }) => BigInt(price.replace('.', '')));
  const order = products
    .map((_, position) => position)
    .sort((a, b) => Number(cents[a] > cents[b]) - Number(cents[a] < cents[b]) || a - b);
  const firsts = order.filter((position, rank) => rank === 0 || cents[position] !== cents[order[rank - 1]]);
  const lines = firsts.map((position) => `${products[position].price}\t${order.indexOf(position)}\n`);
  return { order, lines };
}

/** Positions by folded name, name and id. @param {Product[]} products */
function nameOrder(products) {
  const folded = products.map(({ name }) => fold(name));
  const names = products.map(({ name }) => name);
  const order = products.map((_, position) => position);
  return order.sort((a, b) => byBytes(folded[a], folded[b]) || byBytes(names[a], names[b]) || a - b);
}

/** Makes the tables of a catalog as the loader's step `search` does. @param {Product[]} products in id order @returns {Tables} */
function buildTables(products) {
  /** @type {Map<string, number[]>} */
  const sets = new Map();
  /** @type {Map<string, Map<string, number>>} */
  const facets = new Map(['category', 'size', 'stock.size', 'on_sale', 'in_stock'].map((name) => [name, new Map()]));
  const add = (/** @type {string} */ key, /** @type {number} */ position) => {
    const positions = sets.get(key) ?? [];
    if (positions.at(-1) !== position) positions.push(position);
    sets.set(key, positions);
  };
  products.forEach((product, position) => {
    for (const [name, words] of Object.entries(classesOf(product))) {
      for (const word of words) {
        add(`${name}:${word}`, position);
        const characters = isUnspaced(word) ? [] : [...word].slice(0, 3);
        characters.forEach((_, index) => add(`x${name}:${characters.slice(0, index + 1).join('')}`, position));
      }
    }
    for (const [facet, value] of valuesOf(product)) {
      add(keyOf(facet, value), position);
      const counts = facets.get(facet) ?? new Map();
      facets.set(facet, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  });
  const count = (/** @type {string} */ key) => sets.get(key)?.length ?? 0;
  const words = [...sets.keys()].filter((key) => key.startsWith('a:')).map((key) => key.slice(2));
  const lines = words
    .sort(byBytes)
    .map((word) => `${word}\t${count(`n:${word}`)}\t${count(`m:${word}`)}\t${count(`a:${word}`)}\n`);
  const prices = priceBlobs(products);
  const blobs = {
    ids: int4s(products.map(({ id }) => id)),
    price_order: int4s(prices.order),
    prices: prices.lines.join(''),
    name_order: int4s(nameOrder(products)),
    words: lines.join(''),
    language: 'en',
    fields: JSON.stringify(DECLARATION),
    ...scaleBlobs(products),
    facets: JSON.stringify(facetList(facets, products)),
  };
  return {
    blobs: new Map(Object.entries(blobs).map(([name, body]) => [name, Buffer.from(body)])),
    sets,
    size: products.length,
  };
}

/** @param {Map<string, Map<string, number>>} facets @param {Product[]} products */
function facetList(facets, products) {
  const withFeature = (/** @type {string} */ facet) =>
    products.filter((product) => valuesOf(product).some(([name]) => name === facet)).length;
  const isFeature = (/** @type {string} */ name) => name.startsWith('feature.');
  const [fixed, features] = [
    [...facets.keys()].filter((name) => !isFeature(name)),
    [...facets.keys()].filter(isFeature),
  ];
  const counts = new Map(features.map((facet) => [facet, withFeature(facet)]));
  features.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || byBytes(a, b));
  return [...fixed, ...features].map((name) => {
    const values = [...(facets.get(name) ?? [])].sort(([a, x], [b, y]) => y - x || byBytes(a, b));
    return counts.has(name) ? [name, values, counts.get(name)] : [name, values];
  });
}

/** The rows of some keys as the store returns them. @param {Map<string, number[]>} sets @param {string[]} keys */
function frameOf(sets, keys) {
  const rows = keys.flatMap((key, index) => {
    /** @type {Map<number, number[]>} */
    const chunks = new Map();
    for (const position of sets.get(key) ?? []) {
      const chunk = Math.floor(position / CHUNK);
      if (!chunks.has(chunk)) chunks.set(chunk, []);
      chunks.get(chunk)?.push(position % CHUNK);
    }
    return [...chunks].map(([chunk, positions]) => {
      const bits = chunkBits(positions);
      return Buffer.concat([int4s([index, chunk, positions.length, bits.length]), bits]);
    });
  });
  return rows.length > 0 ? Buffer.concat(rows) : null;
}

/** @param {number[]} positions inside a chunk */
function chunkBits(positions) {
  if (positions.length <= 4096)
    return Buffer.concat(positions.map((position) => Buffer.from([position & 255, position >> 8])));
  const bits = Buffer.alloc(8192);
  for (const position of positions) bits[position >> 3] |= 1 << (position & 7);
  return bits;
}

/**
 * A reader of tables in memory, to which nothing is written.
 * @param {Tables} tables @param {number} [loadId] @param {import('../../server/search/tuning/current-tuning').Stored} [stored] tuning
 */
function readerOf(tables, loadId = 1, stored = { number: 0, content: null, ranked: null }) {
  return {
    tuning: async () => stored,
    written: async () => ({ loadId, era: 1, seq: 1, since: [], rows: [] }),
    gone: async () => null,
    names: async () => ({ loadId, names: new Map() }),
    blobs: async () => ({ loadId, bodies: tables.blobs }),
    scale: async (/** @type {string} */ _version, /** @type {string} */ name) => ({
      loadId,
      order: tables.blobs.get(`order.${name}`) ?? null,
      values: tables.blobs.get(`values.${name}`) ?? null,
    }),
    sets: async (/** @type {string} */ _version, /** @type {string[]} */ keys) => {
      const frame = frameOf(tables.sets, keys);
      return frame ? { minLoadId: loadId, maxLoadId: loadId, frame } : { minLoadId: null, maxLoadId: null, frame };
    },
  };
}

module.exports = { buildTables, frameOf, int4s, readerOf };
