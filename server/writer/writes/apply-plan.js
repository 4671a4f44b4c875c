'use strict';

const { idsNeeded, rowsOf, withIds, withMoved } = require('../content/rows');
const statements = require('../database/statements');
const { readProducts } = require('./read-state');

/** @typedef {import('../database/transaction').Query} Query @typedef {import('./types').Plan} Plan @typedef {import('./types').Applied} Applied */

const KINDS = /** @type {const} */ (['products', 'styles', 'skus']);
/** @typedef {typeof KINDS[number]} Kind */

/**
 * The third stage: makes the rows of products equal to their new contents, and then their documents.
 * @param {Query} query @param {Plan[]} given @param {import('./types').Served} served
 * @returns {Promise<Applied>}
 */
async function applyPlans(query, given, served) {
  if (!given.some(({ change }) => change))
    return { plans: given, rebuilt: [], products: new Map(), removed: new Map() };
  const plans = await withNewIds(query, given);
  const changes = plans.flatMap(({ change }) => change ?? []);
  const { gone, kept } = rowsOf(changes);
  const removed = await removeRows(query, gone);
  const ids = changes.map(({ id }) => id);
  const [, rebuilt, products] = await Promise.all([
    query(statements.putRows, [JSON.stringify(withMoved(kept, removed))]),
    query(statements.rebuild, [ids, served.campus, served.load_id, served.now]),
    readProducts(query, ids),
  ]);
  return { plans, rebuilt, products, removed };
}

/** @param {Query} query @param {Plan[]} plans @returns {Promise<Plan[]>} */
async function withNewIds(query, plans) {
  const needed = { products: 0, styles: 0, skus: 0 };
  for (const { change } of plans) {
    const own = change?.after ? idsNeeded(change.after) : { styles: 0, skus: 0 };
    needed.products += Number(change?.id === 0);
    needed.styles += own.styles;
    needed.skus += own.skus;
  }
  const ids = await newIds(query, needed);
  /** Takes the next one. @param {Kind} kind */
  const take = (kind) => /** @type {number} */ (ids[kind].next().value);
  return plans.map((plan) => {
    if (!plan.change) return plan;
    const { id, after, ...rest } = plan.change;
    const change = { ...rest, id: id === 0 ? take('products') : id, after: after && withIds(after, take) };
    return { ...plan, change };
  });
}

/**
 * @param {Query} query @param {Record<Kind, number>} needed
 * @returns {Promise<Record<Kind, Iterator<number>>>} at least as many
 */
async function newIds(query, needed) {
  /** @type {Record<Kind, number[]>} */
  const ids = { products: [], styles: [], skus: [] };
  // Twice as many at each try: some are taken, and many may follow each other.
  for (let factor = 1; ; factor *= 2) {
    const missing = KINDS.map((kind) => factor * Math.max(0, needed[kind] - ids[kind].length));
    if (!missing.some(Boolean)) break;
    for (const { kind, id } of await query(statements.newIds, missing)) ids[/** @type {Kind} */ (kind)].push(id);
  }
  return { products: ids.products.values(), styles: ids.styles.values(), skus: ids.skus.values() };
}

/** @param {Query} query @param {import('../content/rows').Rows['gone']} gone @returns {Promise<Map<number, number>>} last quantities of skus */
async function removeRows(query, { products, features, related, photos, styles, skus }) {
  if (![products, features, related, photos, styles, skus].some(({ length }) => length > 0)) return new Map();
  const pairs = [styles, skus].flatMap((list) => [list.map(([owner]) => owner), list.map(([, id]) => id)]);
  const removed = await query(statements.removeRows, [products, features, related, photos, ...pairs]);
  return new Map(removed.map(({ id, quantity }) => [id, quantity]));
}

exports.applyPlans = applyPlans;
