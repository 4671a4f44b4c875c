'use strict';

const { addRows, idsNeeded, noRows, withIds } = require('../content/rows');
const { readProducts } = require('./read-state');
const statements = require('../database/statements');

/** @typedef {import('../database/transaction').Query} Query @typedef {import('./write-group').Change} Change */
/** @typedef {{ id: number, kind: 'created' | 'updated' | 'deleted', has_card: boolean }} Rebuilt */
/**
 * @typedef {object} Written
 * @property {Rebuilt[]} rebuilt
 * @property {Awaited<ReturnType<typeof readProducts>>} now the products that are left
 * @property {Map<number, number>} removed last quantities of the skus that are gone
 */

const KINDS = /** @type {const} */ (['products', 'styles', 'skus']);
/** @typedef {typeof KINDS[number]} Kind */

/**
 * Makes the rows of products equal to their new contents, and then their documents.
 * @param {Query} query @param {Change[]} changes get ids for new keys
 * @param {{ served: { campus: string, load_id: number, now: Date } }} state
 * @returns {Promise<Written>}
 */
async function applyChanges(query, changes, { served }) {
  if (changes.length === 0) return { rebuilt: [], now: new Map(), removed: new Map() };
  await giveIds(query, changes);
  const rows = noRows();
  for (const { id, before, after, quantities } of changes) addRows(rows, id, before, after, quantities);
  const removed = await removeRows(query, rows);
  const ids = changes.map(({ id }) => id);
  const [, rebuilt, now] = await Promise.all([
    query(statements.putRows, [JSON.stringify(rows.kept)]),
    query(statements.rebuild, [ids, served.campus, served.load_id, served.now]),
    readProducts(query, ids),
  ]);
  return { rebuilt, now, removed };
}

/** @param {Query} query @param {Change[]} changes */
async function giveIds(query, changes) {
  const needed = { products: 0, styles: 0, skus: 0 };
  for (const { id, after } of changes) {
    const own = after ? idsNeeded(after) : { styles: 0, skus: 0 };
    needed.products += Number(id === 0);
    needed.styles += own.styles;
    needed.skus += own.skus;
  }
  const ids = await newIds(query, needed);
  for (const change of changes) {
    if (change.id === 0) change.id = /** @type {number} */ (ids.products.shift());
    if (change.after) change.after = withIds(change.after, ids);
  }
}

/**
 * @param {Query} query @param {Record<Kind, number>} needed
 * @returns {Promise<Record<Kind, number[]>>} at least as many
 */
async function newIds(query, needed) {
  /** @type {Record<Kind, number[]>} */
  const ids = { products: [], styles: [], skus: [] };
  // Twice as many at each try: some are taken, and many may follow each other.
  for (let factor = 1; ; factor *= 2) {
    const missing = KINDS.map((kind) => factor * Math.max(0, needed[kind] - ids[kind].length));
    if (!missing.some(Boolean)) return ids;
    for (const { kind, id } of await query(statements.newIds, missing)) ids[/** @type {Kind} */ (kind)].push(id);
  }
}

/** @param {Query} query @param {import('../content/rows').Rows} rows skus that move to another style get their quantities */
async function removeRows(query, { gone, kept }) {
  const { products, features, related, photos, styles, skus } = gone;
  if (![products, features, related, photos, styles, skus].some(({ length }) => length > 0)) return new Map();
  const pairs = [styles, skus].flatMap((list) => [list.map(([owner]) => owner), list.map(([, id]) => id)]);
  const removed = await query(statements.removeRows, [products, features, related, photos, ...pairs]);
  const quantities = new Map(removed.map(({ id, quantity }) => [id, quantity]));
  for (const sku of /** @type {{ id: number, quantity: number }[]} */ (kept.skus))
    sku.quantity = quantities.get(sku.id) ?? sku.quantity;
  return quantities;
}

exports.applyChanges = applyChanges;
