'use strict';

const { stylesIn } = require('../../store/stored-styles');
const { exactJson, parseStored } = require('./exact');
const { orderedFields } = require('./fields');

/** @typedef {import('./fields').Fields} Fields @typedef {import('../../catalog/declarations').Declaration} Declaration */
/**
 * The content of a product as it is written, read and kept in revisions. Styles and skus are maps by id; a key that begins with "new" gets
 * an id. Quantities are not content. `fields` are those of the shop's own, where the load that is served declares some.
 * @typedef {{ feature: string, value: string | null }} Feature
 * @typedef {{ thumbnail_url: string, url: string }} Photo
 * @typedef {{ size: string, quantity?: number, fields?: Fields }} Sku quantity: only of a new one
 * @typedef {{ name: string, original_price: string, sale_price: string | null, 'default?': boolean, fields?: Fields, photos: Photo[], skus: Record<string, Sku> }} Style
 * @typedef {object} Content
 * @property {string} name
 * @property {string} slogan
 * @property {string} description
 * @property {string} category
 * @property {string} default_price
 * @property {Feature[]} features
 * @property {Fields} [fields]
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
 * @template {object} T @param {T} row @param {Fields | undefined} given @param {Map<string, import('./fields').Field>} [declared]
 * @returns {T & { fields?: Fields }} with its fields as the last member; none where there are none
 */
function withFields(row, given, declared) {
  const fields = orderedFields(given, declared);
  return fields ? { ...row, fields } : row;
}

/**
 * The same content with its members in one order and prices and fields as they are shown, so that equal contents are equal texts.
 * @param {any} content valid @param {Declaration} [declaration] of the load that is served; without it, fields stay as they are
 * @returns {Content}
 */
function ordered({ name, slogan, description, category, ...content }, declaration) {
  const product = {
    name,
    slogan,
    description,
    category,
    default_price: shownPrice(content.default_price),
    features: content.features.map((/** @type {Feature} */ each) => ({ feature: each.feature, value: each.value })),
    related: [...content.related],
    styles: mapValues(content.styles, (/** @type {Style} */ style) => orderedStyle(style, declaration)),
  };
  return withFields(product, content.fields, declaration?.products);
}

/** @param {Style} style @param {Declaration} [declaration] @returns {Style} */
function orderedStyle({ name, original_price: price, sale_price: sale = null, photos, skus, ...own }, declaration) {
  const style = {
    name,
    original_price: shownPrice(price),
    sale_price: sale === null ? null : shownPrice(sale),
    'default?': own['default?'],
    photos: photos.map((photo) => ({ thumbnail_url: photo.thumbnail_url, url: photo.url })),
    skus: mapValues(skus, ({ size, quantity, fields }) =>
      withFields(quantity === undefined ? { size } : { size, quantity }, fields, declaration?.skus),
    ),
  };
  return withFields(style, own.fields, declaration?.styles);
}

/** @param {Content | null} one @param {Content | null} other both ordered */
const equal = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Reads a product from the replies that are stored for it, which hold all of its content. db/replay/content.sql reads it from its rows.
 * @param {{ product: string, related: string, styles: string }} stored
 * @returns {{ own: Own, content: Content }}
 */
function fromStored({ product, related, styles }) {
  const { id, campus, created_at, updated_at, ...rest } = parseStored(product);
  const listed = stylesIn(parseStored(styles)).map(({ skus, ...style }) => [
    style.style_id,
    { ...style, skus: mapValues(skus, ({ quantity, ...sku }) => sku) },
  ]);
  return {
    own: { id, campus, created_at, updated_at },
    content: ordered({ ...rest, related: JSON.parse(related), styles: Object.fromEntries(listed) }),
  };
}

/** @param {Own} own @param {Content} content @returns {string} what a client reads, as JSON */
const shown = ({ id, campus, created_at, updated_at }, content) =>
  exactJson({ id, campus, ...content, created_at, updated_at });

exports.OWN_MEMBERS = OWN_MEMBERS;
exports.equal = equal;
exports.fromStored = fromStored;
exports.ordered = ordered;
exports.shown = shown;
