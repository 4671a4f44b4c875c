'use strict';

const { feedOf } = require('./feed-rows');

/** Beside the first one. */
const MAX_IMAGES = 10;

/**
 * The columns of Google's product data specification (support.google.com/merchants/answer/7052112) that a catalog can fill.
 * @type {Record<string, (row: import('./feed-rows').Row) => string>}
 */
const COLUMNS = {
  id: ({ id }) => id,
  item_group_id: ({ group }) => group,
  title: ({ title }) => title,
  description: ({ description }) => description,
  link: ({ link }) => link,
  image_link: ({ images: [first = ''] }) => first,
  additional_image_link: ({ images }) =>
    images
      .slice(1, 1 + MAX_IMAGES)
      .map((url) => url.replaceAll(',', '%2C'))
      .join(),
  availability: ({ availability }) => availability,
  price: ({ price }) => price,
  sale_price: ({ salePrice }) => salePrice,
  condition: () => 'new',
  brand: ({ brand }) => brand,
  gtin: ({ gtin }) => gtin,
  identifier_exists: ({ gtin }) => (gtin ? 'yes' : 'no'),
  color: ({ color }) => color,
  size: ({ size }) => size,
  product_type: ({ category }) => category,
};

/** @param {string} value a line without tabs */
const cell = (value) => (value.includes('"') ? `"${value.replaceAll('"', '""')}"` : value);

const FORMAT = {
  head: `${Object.keys(COLUMNS).join('\t')}\n`,
  textOf: (/** @type {import('./feed-rows').Row} */ row) =>
    `${Object.values(COLUMNS)
      .map((of) => cell(of(row)))
      .join('\t')}\n`,
};

/** @param {import('./exports').Export} full @param {import('./shop').Shop} shop */
const googleFeed = (full, shop) => feedOf(full, shop, FORMAT);

exports.COLUMNS = COLUMNS;
exports.googleFeed = googleFeed;
