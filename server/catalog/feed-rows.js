'use strict';

const { setImmediate: nextTurn } = require('node:timers/promises');

const { priceOf } = require('../core/money');
const { ids, isAddress, variantsOf } = require('./ucp-products');

/** A turn of the event loop makes the rows of so many products, so other replies go out between. */
const TURN_PRODUCTS = 10;
/** Limits of both feeds. */
const MAX_TITLE = 150;
const MAX_DESCRIPTION = 5000;

/** @typedef {import('./ucp-products').Product} Product @typedef {import('./ucp-products').Style} Style @typedef {import('./ucp-products').Variant} Variant */
/** @typedef {{ fields?: Record<string, unknown> } | undefined} Owner of fields of a shop's own */
/**
 * A variant, as feeds show it. A text without content is not known.
 * @typedef {object} Row
 * @property {string} id @property {string} group of the variants of a product @property {boolean} hasOthers in its group
 * @property {string} title @property {string} description @property {string} link
 * @property {string[]} images @property {string} availability @property {string} price @property {string} salePrice
 * @property {string} brand @property {string} gtin @property {string} color @property {string} size @property {string} category
 * @property {{ name: string, label: string }[]} options
 */

/** @param {{ amount: number, currency: string }} price */
const money = ({ amount, currency }) => `${priceOf(amount, currency)} ${currency}`;
/** @param {object | undefined} owner @param {string} name */
const fieldOf = (owner, name) => String(/** @type {Owner} */ (owner)?.fields?.[name] ?? '');
/** In one line, and not with half a character at its end. @param {string} text @param {number} [most] characters */
const lineOf = (text, most = Infinity) =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');

/**
 * Fields of a shop's own named brand, gtin and color (of styles) come first; else the brand is the shop, there is no gtin, and the colour is the
 * name of the style.
 * @param {Product} product @param {import('./shop').Shop} shop @returns {Row[]}
 */
function rowsOf(product, shop) {
  const { id, name, description, category, styles } = product;
  const variants = variantsOf(product, shop.profile.currency);
  const ofAll = {
    group: ids.product(id),
    hasOthers: variants.length > 1,
    description: lineOf(description, MAX_DESCRIPTION),
    link: shop.urlOf(id, name),
    brand: lineOf(fieldOf(product, 'brand') || shop.profile.name),
    category: lineOf(category),
  };
  return variants.map(({ id: variant, sku, title, availability, price, list_price: before, options: chosen }) => {
    const style = styles.find(({ style_id: one }) => String(one) === chosen[0]?.id);
    const options = chosen.map(({ name: option, label }) => ({ name: option, label: lineOf(label) }));
    return {
      ...ofAll,
      id: variant,
      title: lineOf(style ? `${name}, ${title}` : name, MAX_TITLE),
      images: style?.photos.flatMap(({ url }) => (isAddress(url) ? [String(url)] : [])) ?? [],
      availability: availability.status,
      price: money(before ?? price),
      salePrice: before ? money(price) : '',
      gtin: lineOf(fieldOf(style?.skus[sku ?? ''], 'gtin')),
      color: lineOf(fieldOf(style, 'color') || fieldOf(style, 'colour') || (style?.name ?? '')),
      size: options.find(({ name: one }) => one === 'Size')?.label ?? '',
      options,
    };
  });
}

/**
 * A feed of an export of whole products, with a row for each variant. A change under way is in the products that follow it, as in an export.
 * @param {import('./exports').Export} full @param {import('./shop').Shop} shop
 * @param {{ head?: string, textOf: (row: Row, shop: import('./shop').Shop) => string }} format texts end with a line
 * @returns {import('./exports').Export}
 */
const feedOf = (full, shop, format) => ({ ...full, pieces: piecesOf(full.pieces, shop, format) });

/** @param {AsyncIterable<Buffer>} pieces @param {import('./shop').Shop} shop @param {Parameters<typeof feedOf>[2]} format */
async function* piecesOf(pieces, shop, { head, textOf }) {
  if (head) yield Buffer.from(head);
  for await (const piece of pieces) {
    const lines = String(piece)
      .split('\n')
      .filter((line) => line && !line.startsWith('{"end":'));
    for (let at = 0; at < lines.length; at += TURN_PRODUCTS) {
      const rows = lines.slice(at, at + TURN_PRODUCTS).flatMap((line) => rowsOf(JSON.parse(line), shop));
      yield Buffer.from(rows.map((row) => textOf(row, shop)).join(''));
      await nextTurn();
    }
  }
}

exports.feedOf = feedOf;
