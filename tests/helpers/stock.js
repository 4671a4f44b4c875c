'use strict';

const { Client } = require('pg');

const { waitUntil } = require('../../scripts/lib/wait-until');
const queries = require('../../server/store/queries');
const { createCatalog, documentSql, sql } = require('./database');

/** @typedef {{ sku: number, amount: number, adjusts?: boolean, expected?: number }} Operation */
/** @typedef {{ pos: string | null, operations: number, rejected: number, restocked: number[], crossed: number[], seq?: string }} Applied */

const stockSql = (/** @type {string} */ name) => sql(`writes/stock_${name}.sql`, 'catalog');
const MAX = 2147483647;
const enterGate = 'SELECT pg_advisory_xact_lock_shared(catalog_log.gate())';

/** @param {string} rows INSERTs with {schema} @returns a catalog with the keys that writes need, and connections by role */
async function createWritableCatalog(rows) {
  const catalog = await createCatalog(rows);
  const keys = sql('write_indexes.sql', 'catalog').match(/^CREATE [^;]+/gm) ?? [];
  for (const key of keys) await catalog.client.query(key);
  /** @type {Client[]} */
  const clients = [];
  return {
    ...catalog,
    /** @param {'catalog_writer' | 'catalog_api'} role */
    async connect(role) {
      const client = new Client({ connectionString: catalog.superuserDsn });
      client.on('error', () => {});
      clients.push(client);
      await client.connect();
      await client.query(`SET SESSION AUTHORIZATION ${role}; SET search_path = pg_catalog`);
      return client;
    },
    async drop() {
      await Promise.all(clients.map((client) => client.end().catch(() => {})));
      await catalog.drop();
    },
  };
}

/** Logs operations as one row. @param {Client} client @param {Operation[]} operations @returns {Promise<number>} position of the last one */
async function logStock(client, operations) {
  const { rows } = await client.query(stockSql('append'), [
    operations.map(({ sku }) => sku),
    operations.map(({ amount }) => amount),
    operations.map(({ adjusts = false }) => adjusts),
    operations.map(({ expected = null }) => expected),
    [operations.length],
    ['test'],
    '[]',
  ]);
  return Number(rows[0].pos);
}

/**
 * Applies one operation after another, without SQL.
 * @param {Map<number, number>} stored quantities by sku, which it changes @param {Operation[]} operations from position 1 on
 * @returns {[pos: number, sku: number, reason: string, quantity: number | null][]} what is rejected
 */
function foldStock(stored, operations) {
  /** @type {[number, number, string, number | null][]} */
  const refused = [];
  operations.forEach(({ sku, amount, adjusts, expected }, place) => {
    const before = stored.get(sku);
    const after = adjusts ? (before ?? 0) + amount : amount;
    const shown = before === undefined ? null : Math.max(before, 0);
    const reason =
      (before === undefined && 'unknown-sku') ||
      (expected !== undefined && shown !== expected && 'not-as-expected') ||
      ((after > MAX || after < -MAX - 1) && 'out-of-range');
    if (reason) refused.push([place + 1, sku, reason, shown]);
    else stored.set(sku, after);
  });
  return refused;
}

/** The statements of an applier, up to its COMMIT. @param {Client} client @returns {Promise<Applied>} */
async function beginApply(client) {
  await client.query('BEGIN');
  await client.query(enterGate);
  const { seen } = (await client.query(stockSql('lock'))).rows[0];
  const applied = (await client.query(stockSql('apply'))).rows[0];
  if (applied.operations === applied.rejected) return applied;
  const rebuilt = await rebuild(client, applied.crossed);
  const listed = (/** @type {(row: any) => boolean} */ isListed) => rebuilt.filter(isListed).map(({ id }) => id);
  const { seq } = (
    await client.query(stockSql('commit'), [
      applied.pos,
      applied.restocked,
      listed(({ has_card: hasCard }) => hasCard),
      listed(({ kind }) => kind === 'updated'),
      seen,
    ])
  ).rows[0];
  return { ...applied, seq };
}

/** @param {Client} client */
async function applyStock(client) {
  const applied = await beginApply(client);
  await client.query('COMMIT');
  return applied;
}

/** @param {Client} client @param {number[]} ids of locked products */
async function rebuild(client, ids) {
  const [{ load_id: loadId }] = (await client.query('SELECT load_id FROM catalog_meta.data_version')).rows;
  return (await client.query(documentSql('rebuild', 'catalog'), [ids, 'hr-lax', loadId, new Date()])).rows;
}

/** @param {Client} client @param {number[]} ids */
const lockProducts = (client, ids) =>
  client.query('SELECT FROM catalog.products WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE', [ids]);

/** Builds the stale replies as the background reader does. @param {Client} client @returns {Promise<number[]>} their products */
async function buildStale(client) {
  const { ids, seen } = (await client.query(stockSql('stale'), [0, Number.MAX_SAFE_INTEGER])).rows[0];
  await client.query('BEGIN');
  await client.query(enterGate);
  await lockProducts(client, ids);
  await rebuild(client, ids);
  await client.query(stockSql('build'), [ids, seen]);
  await client.query('COMMIT');
  return ids;
}

/** The styles as a worker reads them. @param {Client} client of role catalog_api @param {number} id @returns {Promise<string>} */
async function readStyles(client, id) {
  const { rows } = await client.query({ text: queries.writtenStyles.text, values: [id], rowMode: 'array' });
  return rows[0][0];
}

/** The product as a worker reads it for `include=styles`. @param {Client} client of role catalog_api @param {number} id @returns {Promise<any>} */
async function readIncluded(client, id) {
  const { rows } = await client.query({ text: queries.batch.text, values: [['styles'], [id]], rowMode: 'array' });
  return JSON.parse(rows[0][0])[0];
}

/** Awaits that a session of this database waits for a lock. @param {Client} client */
async function untilBlocked(client) {
  const blocked = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await waitUntil(async () => (await client.query(blocked)).rowCount === 1, 20_000);
}

module.exports = {
  applyStock,
  beginApply,
  buildStale,
  createWritableCatalog,
  enterGate,
  foldStock,
  lockProducts,
  logStock,
  readIncluded,
  readStyles,
  rebuild,
  untilBlocked,
};
