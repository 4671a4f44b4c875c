'use strict';

const { digestOf } = require('../../cache/entry');
const { fromStored, ordered } = require('../content/shape');
const statements = require('../database/statements');

/** @typedef {import('./decide').Found} Found @typedef {import('./decide').LastRevision} LastRevision */
/** @typedef {import('../database/transaction').Query} Query */

/**
 * @param {Query} query @param {number[]} ids
 * @returns {Promise<Map<number, Found>>} those that exist
 */
async function readProducts(query, ids) {
  const rows = await query(statements.readProducts, [ids]);
  return new Map(rows.map((row) => [row.id, { ...fromStored(row), digest: digestOf('', Buffer.from(row.product)) }]));
}

/** @param {Query} query @param {number[]} ids @param {number} loadId that is served @returns {Promise<Map<number, LastRevision>>} */
async function readLastRevisions(query, ids, loadId) {
  const rows = await query(statements.lastRevisions, [ids, loadId]);
  return new Map(rows.map((row) => [row.id, { ...row, content: row.content && ordered(row.content) }]));
}

/** @param {Query} query @returns {Promise<{ load_id: number, campus: string, era: number, seq: string, now: Date }>} */
async function readServed(query) {
  const [served] = await query(statements.served);
  return served;
}

exports.readLastRevisions = readLastRevisions;
exports.readProducts = readProducts;
exports.readServed = readServed;
