import { titleOf } from './address.js';
import { h } from '../shared/dom.js';
import { valueNodes } from './field-values.js';

/** @typedef {import('../../client/catalog.js').Product} Product @typedef {import('../../client/catalog.js').Style} Style */
/** @typedef {import('../../client/catalog.js').Fields} Fields @typedef {import('../shared/dom.js').Child} Child */

/** @param {string} title @param {...Child} value */
const row = (title, ...value) => h('div', {}, h('dt', { dir: 'auto' }, title), h('dd', { dir: 'auto' }, ...value));

/** @param {Product['features']} features */
function featureRows(features) {
  const lines = new Map(features.map(({ feature, value }) => [`${feature}\n${value}`, { feature, value }]));
  return [...lines.values()].map(({ feature, value }) => row(feature, value ?? 'Yes'));
}

/** @param {Fields} [fields] */
const fieldRows = (fields = {}) =>
  Object.entries(fields).map(([name, value]) => row(titleOf(name), ...valueNodes(value)));

/** A row for each sku, in the order of the sizes. @param {Style} style @param {string[]} sizes */
function skuRows({ skus }, sizes) {
  const places = Object.values(skus).map((sku) => ({ ...sku, place: sizes.indexOf(sku.size ?? '') }));
  return places
    .sort((a, b) => a.place - b.place)
    .filter(({ fields = {} }) => Object.keys(fields).length > 0)
    .map(({ size, fields = {} }) => {
      const lines = Object.entries(fields).map(([name, value]) =>
        h('span', { class: 'line' }, `${titleOf(name)}: `, ...valueNodes(value)),
      );
      return row(size === null ? 'Without a size' : `Size ${size}`, ...lines);
    });
}

/**
 * Features and the shop's own fields, of the product and of the chosen style.
 * @param {Product} product @param {Style} [style] @param {string[]} [sizes] of the style, as the page lists them
 * @returns {Node | string} empty without any
 */
export function detailList({ features, fields }, style, sizes = []) {
  const ofStyle = style ? [...fieldRows(style.fields), ...skuRows(style, sizes)] : [];
  const rows = [...fieldRows(fields), ...featureRows(features), ...ofStyle];
  return rows.length > 0 ? h('dl', { class: 'features' }, ...rows) : '';
}
