'use strict';
const fs = require('node:fs/promises');
const path = require('node:path');
const { randomProduct } = require('./random-product');
const { CsvFile, DirtyFile } = require('./csv-file');
const { edges } = require('./edges');
const { declaration, withFields } = require('./own-fields');
const { quote } = require('./quote');
const { createRandom, hash } = require('./random');
const { idOf, tables } = require('./tables');
/** @import { Product, Style } from './edges' */
/** @import { TableName } from './tables' */
/** @typedef {Record<TableName, InstanceType<typeof CsvFile>>} Files */

/** A block is about 600 KB, so that memory does not grow with the set. */
const productsPerBlock = 256;
const tableNames = /** @type {TableName[]} */ (Object.keys(tables));

/**
 * @param {Style} style
 * @param {string} styleId
 * @param {boolean} loaded whether the style will be loaded
 * @param {Files} files
 */
function writePhotosAndSkus(style, styleId, loaded, { photos, skus }) {
  // The first two rows exchange their ids.
  /** @param {number} n @param {number} rows */
  const shift = (n, rows) => (style.swapped && rows > 1 && n < 2 ? 1 - 2 * n : 0);
  style.photos.forEach(([url, thumbnailUrl], n) => {
    const id = photos.id(shift(n, style.photos.length));
    photos.row([`${id}`, styleId, quote(url), quote(thumbnailUrl)], loaded);
  });
  style.skus.forEach(([size, quantity], n) => {
    const id = skus.id(shift(n, style.skus.length));
    skus.row([`${id}`, styleId, quote(size), `${quantity}`], loaded);
  });
}

/** @param {Product} product @param {number} products in the whole set @param {Files} files */
function writeProduct(product, products, files) {
  const id = `${files.product.id()}`;
  const texts = [product.name, product.slogan, product.description, product.category].map(quote);
  const loaded = files.product.row([id, ...texts, product.price], true);
  for (const style of product.styles) {
    const styleId = `${files.styles.id()}`;
    const { salePrice, originalPrice, isDefault } = style;
    const values = [quote(style.name), salePrice ?? 'null', originalPrice, isDefault ? '1' : '0'];
    const styleLoaded = files.styles.row([styleId, id, ...values], loaded);
    writePhotosAndSkus(style, styleId, styleLoaded, files);
  }
  for (const [feature, value] of product.features) {
    const written = value === null ? 'null' : quote(value);
    files.features.row([`${files.features.id()}`, id, quote(feature), written], loaded);
  }
  for (const target of product.related.filter((ordinal) => ordinal < products)) {
    const targetLoaded = !files.product.isRejected(target);
    const targetId = `${idOf(tables.product, target)}`;
    files.related.row([`${files.related.id()}`, id, targetId], loaded && targetLoaded);
  }
}

/** @param {number} seed @param {number} products @returns {Generator<Product>} first the edges of the contract */
function* catalog(seed, products) {
  const [random, wording] = [createRandom(seed), createRandom(hash(seed, 0))];
  yield* edges.slice(0, products);
  for (let n = edges.length; n < products; n += 1) yield randomProduct(random, wording, products);
}

/**
 * @param {Files} files
 * @param {{ products: number, seed: number }} options
 * @returns {Generator<number>} the number of products written, whenever the caller should take the bytes
 */
function* fill(files, { products, seed }) {
  let written = 0;
  for (const product of catalog(seed, products)) {
    if (written === edges.length) for (const name of tableNames) files[name].allowDefects();
    writeProduct(product, products, files);
    written += 1;
    if (written % productsPerBlock === 0) yield written;
  }
  for (const name of tableNames) files[name].end();
  yield written;
}

/** @param {{ seed: number, products: number, dirty: boolean }} options @param {Files} files */
function describe({ seed, products, dirty }, files) {
  return {
    seed,
    products,
    dirty,
    largestProductId: idOf(tables.product, products - 1),
    edges: Object.fromEntries(edges.slice(0, products).map(({ edge }, n) => [n + 1, edge])),
    files: Object.fromEntries(tableNames.map((name) => [tables[name].file, files[name].summary()])),
  };
}

/**
 * Writes the six files and manifest.json. The same options give the same bytes on every machine.
 * @param {object} options
 * @param {string} options.out folder, created when missing; its files are overwritten
 * @param {number} options.products rows of product.csv without the repeated ones of a dirty set
 * @param {number} options.seed a non-negative integer
 * @param {boolean} [options.dirty] with the defects of defects.js
 * @param {boolean} [options.fields] with fields.json, and columns of each type
 * @param {(products: number) => void} [options.onBlock] called after each block with the products so far
 * @returns {Promise<ReturnType<typeof describe>>} the manifest
 * @throws {Error} when the folder or a file cannot be written
 */
async function generate({ out, products, seed, dirty = false, fields = false, onBlock = () => {} }) {
  const files = /** @type {Files} */ ({});
  for (const name of tableNames) {
    const table = fields ? withFields(tables[name], seed) : tables[name];
    files[name] = dirty ? new DirtyFile(table, seed, products) : new CsvFile(table, table.clean);
  }
  await fs.mkdir(out, { recursive: true });
  const declared = path.join(out, 'fields.json');
  if (fields) await fs.writeFile(declared, `${JSON.stringify(declaration, null, 2)}\n`);
  else await fs.rm(declared, { force: true });
  const handles = await Promise.all(tableNames.map((name) => fs.open(path.join(out, tables[name].file), 'w')));
  try {
    for (const written of fill(files, { products, seed })) {
      await Promise.all(tableNames.map((name, n) => handles[n].appendFile(files[name].take())));
      onBlock(written);
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
  const manifest = describe({ seed, products, dirty }, files);
  await fs.writeFile(path.join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

module.exports = { generate };
