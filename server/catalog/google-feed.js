'use strict';

const { setImmediate: nextTurn } = require('node:timers/promises');

const { priceOf } = require('../core/money');
const { variantsOf } = require('./ucp-products');

/** A turn of the event loop makes the rows of so many products, so other replies go out between. */
const TURN_PRODUCTS = 10;
const MAX_TITLE = 150;
const MAX_DESCRIPTION = 5000;
/** Beside the first one. */
const MAX_IMAGES = 10;

/** @typedef {import('./ucp-products').Product} Product @typedef {import('./ucp-products').Style} Style @typedef {import('./ucp-products').Variant} Variant */
/** @typedef {{ product: Product, variant: Variant, style?: Style, shop: import('./shop').Shop }} Row */
/** @typedef {{ fields?: Record<string, unknown> } | undefined} Owner of fields of a shop's own */

/** @param {{ amount: number, currency: string }} price */
const money = ({ amount, currency }) => `${priceOf(amount, currency)} ${currency}`;
/** @param {object | undefined} owner @param {string} name */
const fieldOf = (owner, name) => String(/** @type {Owner} */ (owner)?.fields?.[name] ?? '');
/** @param {Row} row */
const gtinOf = ({ style, variant }) => fieldOf(style?.skus[variant.id.replace('sku-', '')], 'gtin');
/** @param {Row} row */
const imagesOf = ({ style }) => style?.photos.flatMap(({ url }) => url ?? []) ?? [];

/**
 * The columns of Google's product data specification (support.google.com/merchants/answer/7052112) that a catalog can fill. Fields of a shop's
 * own named brand, gtin and color (of styles) come first; else the brand is the shop, there is no gtin, and the colour is the name of the style.
 * @type {Record<string, (row: Row) => string>}
 */
const COLUMNS = {
  id: ({ variant }) => variant.id,
  item_group_id: ({ product }) => `product-${product.id}`,
  title: ({ product, variant, style }) =>
    (style ? `${product.name}, ${variant.title}` : product.name).slice(0, MAX_TITLE),
  description: ({ product }) => product.description.slice(0, MAX_DESCRIPTION),
  link: ({ product, shop }) => shop.urlOf(product.id, product.name),
  image_link: (row) => imagesOf(row)[0] ?? '',
  additional_image_link: (row) =>
    imagesOf(row)
      .slice(1, 1 + MAX_IMAGES)
      .map((url) => url.replaceAll(',', '%2C'))
      .join(),
  availability: ({ variant }) => variant.availability.status,
  price: ({ variant }) => money(variant.list_price ?? variant.price),
  sale_price: ({ variant }) => (variant.list_price ? money(variant.price) : ''),
  condition: () => 'new',
  brand: ({ product, shop }) => fieldOf(product, 'brand') || shop.profile.name,
  gtin: gtinOf,
  identifier_exists: (row) => (gtinOf(row) ? 'yes' : 'no'),
  color: ({ style }) => fieldOf(style, 'color') || fieldOf(style, 'colour') || (style?.name ?? ''),
  size: ({ variant }) => variant.options.find(({ name }) => name === 'Size')?.label ?? '',
  product_type: ({ product }) => product.category,
};

/** A tab or a line end would begin another value. @param {string} value */
const cell = (value) => {
  const line = value.replace(/\s+/g, ' ').trim();
  return line.includes('"') ? `"${line.replaceAll('"', '""')}"` : line;
};

/** A row for each variant. @param {string} json a whole product @param {import('./shop').Shop} shop */
function rowsOf(json, shop) {
  /** @type {Product} */
  const product = JSON.parse(json);
  return variantsOf(product, shop.profile.currency)
    .map((variant) => {
      const style = product.styles.find(({ style_id: id }) => String(id) === variant.options[0]?.id);
      return `${Object.values(COLUMNS)
        .map((of) => cell(of({ product, variant, style, shop })))
        .join('\t')}\n`;
    })
    .join('');
}

/**
 * Google's feed of an export of whole products. A change under way is in the products that follow it, as in an export.
 * @param {import('./exports').Export} full @param {import('./shop').Shop} shop @returns {import('./exports').Export}
 */
const googleFeed = (full, shop) => ({ ...full, pieces: feedOf(full.pieces, shop) });

/** @param {AsyncIterable<Buffer>} pieces @param {import('./shop').Shop} shop */
async function* feedOf(pieces, shop) {
  yield Buffer.from(`${Object.keys(COLUMNS).join('\t')}\n`);
  for await (const piece of pieces) {
    const lines = String(piece)
      .split('\n')
      .filter((line) => line && !line.startsWith('{"end":'));
    for (let at = 0; at < lines.length; at += TURN_PRODUCTS) {
      yield Buffer.from(
        lines
          .slice(at, at + TURN_PRODUCTS)
          .map((line) => rowsOf(line, shop))
          .join(''),
      );
      await nextTurn();
    }
  }
}

exports.COLUMNS = COLUMNS;
exports.googleFeed = googleFeed;
