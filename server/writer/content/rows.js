'use strict';

const { exactJson } = require('./exact');
const { isNew, skuKeys } = require('./rules');

/** @typedef {import('./shape').Content} Content @typedef {import('../writes/types').Change} Change */

/**
 * The rows that make the tables equal to contents. A list is written whole or not at all. db/replay/rows.sql finds them for a replay, whose
 * contents are in tables; tests/server/writer/equal-rows.test.js compares both.
 * @typedef {object} Rows
 * @property {{ products: number[], features: number[], related: number[], photos: number[], styles: [product: number, style: number][], skus: [style: number, sku: number][] }} gone
 *   features and related: of these products; photos: of these styles
 * @property {Record<'products' | 'features' | 'related' | 'styles' | 'photos', object[]> & { skus: { style_id: number, id: number, quantity: number }[] }} kept
 *   `fields` as JSON, since jsonb would order its members
 */

/** @param {{ fields?: import('./fields').Fields }} row @returns {object} */
const asRow = ({ fields, ...columns }) => ({ ...columns, fields: fields && exactJson(fields) });

const differ = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  JSON.stringify(one) !== JSON.stringify(other);

/** @param {readonly Change[]} changes with ids for all keys @returns {Rows} */
function rowsOf(changes) {
  const rows = {
    gone: { products: [], features: [], related: [], photos: [], styles: [], skus: [] },
    kept: { products: [], features: [], related: [], styles: [], photos: [], skus: [] },
  };
  for (const change of changes) addRows(rows, change);
  return rows;
}

/** @param {Rows} rows gets those of one more product @param {Change} change */
function addRows({ gone, kept }, { id, before, after, quantities }) {
  const { features = [], related = [], styles = {}, ...columns } = after ?? {};
  if (!after) gone.products.push(id);
  else if (!before || differ(columns, columnsOf(before))) kept.products.push({ id, ...asRow(columns) });
  if (differ(features, before?.features ?? [])) {
    gone.features.push(id);
    kept.features.push(...features.map((each, index) => ({ product_id: id, position: index + 1, ...each })));
  }
  if (differ(related, before?.related ?? [])) {
    gone.related.push(id);
    kept.related.push(
      ...related.map((each, index) => ({ product_id: id, position: index + 1, related_product_id: each })),
    );
  }
  for (const key of new Set([...Object.keys(before?.styles ?? {}), ...Object.keys(styles)]))
    addStyle({ gone, kept }, { id, style: Number(key) }, before?.styles[key], styles[key], quantities);
}

/** @param {Content} content @returns {object} the columns of `products` */
function columnsOf({ features, related, styles, ...columns }) {
  return columns;
}

/**
 * @param {Rows} rows @param {{ id: number, style: number }} place
 * @param {import('./shape').Style | undefined} before @param {import('./shape').Style | undefined} after @param {Change['quantities']} quantities
 */
function addStyle({ gone, kept }, { id, style }, before, after, quantities) {
  const { photos = [], skus = {}, 'default?': isDefault, ...columns } = after ?? {};
  const { photos: oldPhotos = [], skus: oldSkus = {}, 'default?': wasDefault, ...oldColumns } = before ?? {};
  if (!after) gone.styles.push([id, style]);
  else if (!before || isDefault !== wasDefault || differ(columns, oldColumns))
    kept.styles.push({ id: style, product_id: id, is_default: isDefault, ...asRow(columns) });
  if (differ(photos, oldPhotos)) {
    gone.photos.push(style);
    kept.photos.push(...photos.map((photo, index) => ({ style_id: style, position: index + 1, ...photo })));
  }
  for (const sku of Object.keys(oldSkus)) if (!skus[sku]) gone.skus.push([style, Number(sku)]);
  for (const [sku, { quantity, ...own }] of Object.entries(skus))
    if (differ(own, oldSkus[sku]))
      kept.skus.push({
        style_id: style,
        id: Number(sku),
        quantity: quantity ?? quantities.get(Number(sku)) ?? 0,
        ...asRow(own),
      });
}

/** @param {Content} content @returns {{ styles: number, skus: number }} how many ids its new keys need */
const idsNeeded = (content) => ({
  styles: Object.keys(content.styles).filter(isNew).length,
  skus: skuKeys(content).filter(([, sku]) => isNew(sku)).length,
});

/** @param {Content} content @param {(kind: 'styles' | 'skus') => number} take the next id @returns {Content} with ids for new keys */
function withIds(content, take) {
  /** @template T @param {Record<string, T>} map @param {'styles' | 'skus'} kind @param {(value: T) => T} change @returns {Record<string, T>} */
  const named = (map, kind, change) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [isNew(key) ? take(kind) : key, change(value)]));
  const styles = named(content.styles, 'styles', (style) => ({
    ...style,
    skus: named(style.skus, 'skus', (sku) => sku),
  }));
  return { ...content, styles };
}

/**
 * @param {Rows['kept']} kept @param {ReadonlyMap<number, number>} removed last quantities
 * @returns {Rows['kept']} skus that move to another style have their quantities
 */
const withMoved = (kept, removed) =>
  removed.size === 0
    ? kept
    : { ...kept, skus: kept.skus.map((sku) => ({ ...sku, quantity: removed.get(sku.id) ?? sku.quantity })) };

/** @param {Content} content @returns {Content} without the quantities of new skus: as the product is kept and shown */
const withoutQuantities = (content) => ({
  ...content,
  styles: Object.fromEntries(
    Object.entries(content.styles).map(([key, style]) => [
      key,
      {
        ...style,
        skus: Object.fromEntries(Object.entries(style.skus).map(([sku, { quantity, ...own }]) => [sku, own])),
      },
    ]),
  ),
});

exports.idsNeeded = idsNeeded;
exports.rowsOf = rowsOf;
exports.withIds = withIds;
exports.withMoved = withMoved;
exports.withoutQuantities = withoutQuantities;
