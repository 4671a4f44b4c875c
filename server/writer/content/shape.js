'use strict';

const { stylesIn } = require('../../store/stored-styles');

/**
 * The content of a product as it is written, read and kept in revisions. Styles and skus are maps by id; a key that begins with "new" gets
 * an id. Quantities are not content.
 * @typedef {{ feature: string, value: string | null }} Feature
 * @typedef {{ thumbnail_url: string, url: string }} Photo
 * @typedef {{ size: string, quantity?: number }} Sku quantity: only of a new one
 * @typedef {{ name: string, original_price: string, sale_price: string | null, 'default?': boolean, photos: Photo[], skus: Record<string, Sku> }} Style
 * @typedef {object} Content
 * @property {string} name
 * @property {string} slogan
 * @property {string} description
 * @property {string} category
 * @property {string} default_price
 * @property {Feature[]} features
 * @property {number[]} related
 * @property {Record<string, Style>} styles
 */

/** Members that a client sees beside the content and may send back, but not change. */
const OWN_MEMBERS = /** @type {const} */ (['id', 'campus', 'created_at', 'updated_at']);
/** @typedef {{ id: number, campus: string, created_at: string, updated_at: string }} Own */

/** @param {string} price @returns {string} as documents show it: two places at least, no zero before the first digit */
function shownPrice(price) {
  const [, whole, places = ''] = /** @type {RegExpExecArray} */ (/^0*(\d+)(?:\.(\d+))?$/.exec(price));
  return `${whole}.${places.padEnd(2, '0')}`;
}

/** @template T, U @param {Record<string, T>} map @param {(value: T) => U} change @returns {Record<string, U>} */
const mapValues = (map, change) => Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/**
 * The same content with its members in one order and prices as they are shown, so that equal contents are equal texts.
 * @param {any} content valid @returns {Content}
 */
const ordered = ({ name, slogan, description, category, default_price: price, features, related, styles }) => ({
  name,
  slogan,
  description,
  category,
  default_price: shownPrice(price),
  features: features.map((/** @type {Feature} */ each) => ({ feature: each.feature, value: each.value })),
  related: [...related],
  styles: mapValues(styles, orderedStyle),
});

/** @param {Style} style @returns {Style} */
const orderedStyle = ({
  name,
  original_price: price,
  sale_price: sale = null,
  'default?': isDefault,
  photos,
  skus,
}) => ({
  name,
  original_price: shownPrice(price),
  sale_price: sale === null ? null : shownPrice(sale),
  'default?': isDefault,
  photos: photos.map((photo) => ({ thumbnail_url: photo.thumbnail_url, url: photo.url })),
  skus: mapValues(skus, ({ size, quantity }) => (quantity === undefined ? { size } : { size, quantity })),
});

/** @param {Content | null} one @param {Content | null} other both ordered */
const equal = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Reads a product from the replies that are stored for it, which hold all of its content. db/replay/content.sql reads it from its rows.
 * @param {{ product: string, related: string, styles: string }} stored
 * @returns {{ own: Own, content: Content }}
 */
function fromStored({ product, related, styles }) {
  const { id, campus, created_at, updated_at, ...rest } = JSON.parse(product);
  const listed = stylesIn(JSON.parse(styles)).map(({ skus, ...style }) => [
    style.style_id,
    { ...style, skus: mapValues(skus, ({ size }) => ({ size })) },
  ]);
  return {
    own: { id, campus, created_at, updated_at },
    content: ordered({ ...rest, related: JSON.parse(related), styles: Object.fromEntries(listed) }),
  };
}

/** @param {Own} own @param {Content} content @returns {string} what a client reads, as JSON */
const shown = ({ id, campus, created_at, updated_at }, content) =>
  JSON.stringify({ id, campus, ...content, created_at, updated_at });

exports.OWN_MEMBERS = OWN_MEMBERS;
exports.equal = equal;
exports.fromStored = fromStored;
exports.ordered = ordered;
exports.shown = shown;
