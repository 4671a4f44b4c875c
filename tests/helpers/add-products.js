'use strict';
const fs = require('node:fs');
const path = require('node:path');

/** Ids of styles and skus that no other row has. */
const FIRST_ID = 5_000_000;

/** @param {(string | number | null)[]} fields */
const row = (fields) =>
  `${fields.map((field) => (typeof field === 'string' ? `"${field.replaceAll('"', '""')}"` : String(field))).join()}\n`;

/**
 * Adds products, without photos, to the CSVs of a folder.
 * @param {string} data @param {import('./search-products').Product[]} products whose ids are free
 */
function addProducts(data, products) {
  const styles = products.flatMap((product) => product.styles.map((style) => ({ product, style })));
  const skus = styles.flatMap(({ style }, at) => style.skus.map((sku) => ({ style: FIRST_ID + at, ...sku })));
  const features = products.flatMap(({ id, features: own }) => own.map((feature) => ({ id, ...feature })));
  const price = (/** @type {string} */ text) => Number(text);
  const rows = {
    'product.csv': products.map((one) => [
      one.id,
      one.name,
      one.slogan,
      one.description,
      one.category,
      price(one.price),
    ]),
    'styles.csv': styles.map(({ product, style }, at) => [
      FIRST_ID + at,
      product.id,
      style.name,
      null,
      price(product.price),
      0,
    ]),
    'skus.csv': skus.map(({ style, size, quantity }, at) => [FIRST_ID + at, style, size, quantity]),
    'features.csv': features.map(({ id, name, value }, at) => [FIRST_ID + at, id, name, value]),
  };
  for (const [file, own] of Object.entries(rows))
    fs.appendFileSync(path.join(data, file), own.map((fields) => row(fields)).join(''));
}

module.exports = { addProducts };
