'use strict';

const { minorUnits } = require('../core/money');
const { slugOf } = require('./shop');

/** An absolute address by RFC 3986, as the schema wants it; a cell of a CSV may hold anything. */
const ADDRESS = /^https?:\/\/(?:[\w\-.~:/?#@!$&'()*+,;=]|%[\dA-Fa-f]{2})+$/;

/** @typedef {import('./json-ld').Style & { 'default?': boolean, skus: Record<string, { quantity: number | null, size: string | null }> }} Style */
/** @typedef {import('./json-ld').Product & { styles: Style[], fields?: object }} Product */
/** @typedef {{ name: string, label: string, id?: string }} Selection */
/** @typedef {{ amount: number, currency: string }} Price */
/**
 * @typedef {object} Variant
 * @property {string} id @property {string} [sku] @property {string} title @property {Price} price @property {Price} [list_price]
 * @property {{ available: boolean, status: string }} availability
 * @property {Selection[]} options
 * @property {object[]} [media]
 * @property {{ id: string, match: string }[]} [inputs] of a look-up
 */

/** Ids of UCP: a product and a sku may have the same number. */
const ids = {
  product: (/** @type {number} */ id) => `product-${id}`,
  style: (/** @type {number} */ id, /** @type {number} */ style) => `product-${id}-style-${style}`,
  sku: (/** @type {string | number} */ id) => `sku-${id}`,
};

/** @param {string | null} url */
const isAddress = (url) => url !== null && ADDRESS.test(url);

/** @param {Style} style @param {string} name of the product */
const mediaOf = ({ photos, name: style }, name) =>
  photos.flatMap(({ url }) => (isAddress(url) ? [{ type: 'image', url, alt_text: `${name}, ${style}` }] : []));

/** @param {boolean} available */
const availability = (available) => ({ available, status: available ? 'in_stock' : 'out_of_stock' });

/**
 * The variants of a product: its skus, a style that has none, or the product itself. The featured one is the first: it is in stock, and of the
 * default style, where there is such a one.
 * @param {Product} product @param {string} currency @returns {Variant[]}
 */
function variantsOf({ id, name, description, default_price, styles }, currency) {
  const price = (/** @type {string} */ text) => ({ amount: minorUnits(text, currency), currency });
  if (styles.length === 0) {
    const own = { id: ids.product(id), title: name, description: { plain: description }, price: price(default_price) };
    return [{ ...own, availability: availability(false), options: [] }];
  }
  const ranked = styles.flatMap((style) => {
    const now = price(style.sale_price ?? style.original_price);
    const before = price(style.original_price);
    const media = mediaOf(style, name).slice(0, 1);
    return Object.entries(style.skus).map(([sku, { quantity, size }]) => {
      const available = (quantity ?? 0) > 0;
      const title = size === null ? style.name : `${style.name}, ${size}`;
      const variant = {
        ...(sku === 'null' ? { id: ids.style(id, style.style_id) } : { id: ids.sku(sku), sku }),
        title,
        description: { plain: `${name}, ${title}` },
        price: now,
        ...(before.amount > now.amount && { list_price: before }),
        availability: availability(available),
        options: [
          { name: 'Style', id: String(style.style_id), label: style.name },
          ...(size === null ? [] : [{ name: 'Size', label: size }]),
        ],
        ...(media.length > 0 && { media }),
      };
      return { variant, rank: (available ? 0 : 2) + (style['default?'] ? 0 : 1) };
    });
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ variant }) => variant);
}

/** @param {Price[]} prices */
function rangeOf(prices) {
  const amounts = prices.map(({ amount }) => amount);
  const [{ currency }] = prices;
  return { min: { amount: Math.min(...amounts), currency }, max: { amount: Math.max(...amounts), currency } };
}

/** @param {Selection} a @param {Selection} b */
const isSame = (a, b) =>
  a.name === b.name && (a.id !== undefined && b.id !== undefined ? a.id === b.id : a.label === b.label);

/** @param {Variant} variant @param {Selection[]} selected */
const hasAll = ({ options }, selected) => selected.every((one) => options.some((option) => isSame(one, option)));

/** The options of a product with their values, in the order of its styles. @param {Variant[]} variants */
function optionsOf(variants) {
  /** @type {Map<string, Selection[]>} */
  const byName = new Map();
  for (const option of variants.flatMap(({ options }) => options)) {
    const values = byName.get(option.name);
    if (!values) byName.set(option.name, [option]);
    else if (!values.some((value) => isSame(value, option))) values.push(option);
  }
  return [...byName].map(([name, values]) => ({ name, values: values.map(({ name: _, ...value }) => value) }));
}

/**
 * The same with what can be had beside the other selections.
 * @param {Variant[]} variants @param {Selection[]} selected
 */
const optionsBeside = (variants, selected) =>
  optionsOf(variants).map(({ name, values }) => ({
    name,
    values: values.map((value) => {
      const others = selected.filter((one) => one.name !== name);
      const having = variants.filter((variant) => hasAll(variant, [...others, { name, ...value }]));
      const available = having.some((variant) => variant.availability.available);
      return { ...value, available, exists: having.length > 0 };
    }),
  }));

/**
 * A product as UCP shows it, but for its variants: `all` of them make its prices and options, and the first one its media.
 * @param {Product} product @param {import('./shop').Shop} shop @param {Variant[]} all
 */
function productOf(product, shop, all) {
  const { id, name, description, category, styles, fields } = product;
  const [{ options: featured }] = all;
  const style = styles.find(({ style_id: one }) => String(one) === featured[0]?.id);
  const media = style ? mediaOf(style, name) : [];
  const handle = slugOf(name);
  const options = optionsOf(all);
  return {
    id: ids.product(id),
    ...(handle && { handle }),
    title: name,
    description: { plain: description },
    url: shop.urlOf(id, name),
    categories: [{ value: category, taxonomy: 'merchant' }],
    price_range: rangeOf(all.map(({ price }) => price)),
    ...(all.some((one) => one.list_price) && {
      list_price_range: rangeOf(all.map(({ price, list_price: before = price }) => before)),
    }),
    ...(media.length > 0 && { media }),
    ...(options.length > 0 && { options }),
    ...(fields && { metadata: fields }),
  };
}

exports.hasAll = hasAll;
exports.ids = ids;
exports.isAddress = isAddress;
exports.optionsBeside = optionsBeside;
exports.productOf = productOf;
exports.variantsOf = variantsOf;
