'use strict';

const { execFileSync } = require('node:child_process');

const { createRandom } = require('../../../scripts/generate/random');
const { python, root } = require('../../../scripts/lib/runtime');
const { exactJson } = require('../../../server/writer/content/exact');
const { rowsOf, withIds, withMoved, withoutQuantities } = require('../../../server/writer/content/rows');
const { ordered } = require('../../../server/writer/content/shape');
const { declarationOf } = require('../../../server/catalog/declarations');
const statements = require('../../../server/writer/database/statements');
const { createCatalog } = require('../../helpers/database');
const { DECLARED, declaration, fieldMakers } = require('../../helpers/declared');
const { makers } = require('../../helpers/random-writes');

/* Two programs make rows equal to contents: a write (content/rows.js) and a replay (db/replay/rows.sql). */

const TABLES = ['products', 'features', 'related', 'styles', 'photos', 'skus'];
const FIRST_ID = 5000;
const PRODUCTS = 4;
const ROUNDS = 30;
const REPLAY = execFileSync(
  python,
  ['-c', 'from etl.later_writes import rows_sql; print(rows_sql(schema="catalog", served="catalog", load_id="1"))'],
  { cwd: root, encoding: 'utf8' },
);

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
beforeAll(async () => {
  catalog = await createCatalog();
  await catalog.client.query(declaration());
});
afterAll(() => catalog?.drop());

const query = async (/** @type {string} */ text, /** @type {unknown[]} */ values = []) =>
  (await catalog.client.query(text, values)).rows;

/** @typedef {import('../../../server/writer/writes/types').Change} Change */

/** @param {readonly Change[]} changes */
async function write(changes) {
  const { gone, kept } = rowsOf(changes);
  const pairs = [gone.styles, gone.skus].flatMap((list) => [list.map(([owner]) => owner), list.map(([, id]) => id)]);
  const { products, features, related, photos } = gone;
  const removed = await query(statements.removeRows.text, [products, features, related, photos, ...pairs]);
  const quantities = new Map(removed.map(({ id, quantity }) => [id, quantity]));
  await query(statements.putRows.text, [JSON.stringify(withMoved(kept, quantities))]);
}

/** @param {readonly Change[]} changes */
async function replay(changes) {
  await query(`CREATE TEMP TABLE wanted ON COMMIT DROP AS
    SELECT id, nullif(ours, 'null') AS ours, nullif(content, 'null') AS content
    FROM jsonb_to_recordset('${exactJson(
      changes.map(({ id, before, after }) => ({ id, ours: before, content: after })),
    ).replaceAll("'", "''")}') AS change (id int, ours jsonb, content jsonb)`);
  await query(REPLAY);
}

/** @returns {Promise<Record<string, number[]>>} rows that the transaction has inserted, updated and deleted in each table */
async function touched() {
  const rows = await query(`SELECT relname AS name, ARRAY[n_tup_ins, n_tup_upd, n_tup_del]::int[] AS counts
    FROM pg_stat_xact_user_tables WHERE schemaname = 'catalog'`);
  return Object.fromEntries(rows.map(({ name, counts }) => [name, counts]));
}

/** @param {() => Promise<void>} work @returns what it leaves in the tables, and how many rows it touches; it is undone */
async function outcomeOf(work) {
  await query('SAVEPOINT before');
  const before = await touched();
  await work();
  const after = await touched();
  const counts = TABLES.map((name) => [name, after[name].map((count, kind) => count - (before[name]?.[kind] ?? 0))]);
  const tables = [];
  for (const name of TABLES) tables.push(await query(`SELECT each::text FROM catalog.${name} AS each ORDER BY 1`));
  await query('ROLLBACK TO before');
  return { counts: Object.fromEntries(counts), tables };
}

test('a write and a replay touch the same rows to make them equal to contents', async () => {
  const below = createRandom(20261127);
  const { product, other } = makers(below, fieldMakers(below));
  let id = 100_000;
  const take = () => (id += 1);
  const made = (/** @type {any} */ content) =>
    withoutQuantities(withIds(ordered(content, declarationOf(DECLARED)), take));
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = Array.from({ length: PRODUCTS }, () => (below(5) ? made(product()) : null));
    const changes = before.map((content, index) => ({
      id: FIRST_ID + index,
      before: content,
      after: below(6) ? made(moved(content ? other(content) : product(), below)) : null,
      quantities: new Map(),
    }));
    await query('BEGIN');
    await write(changes.map((each) => ({ ...each, before: null, after: each.before })));
    await query('UPDATE catalog.skus SET quantity = id % 97');
    const written = await outcomeOf(() => write(changes));
    const replayed = await outcomeOf(() => replay(changes));
    await query('ROLLBACK');
    expect([round, replayed]).toEqual([round, written]);
  }
}, 60_000);

/** Often moves a sku to another style. @param {any} content @param {(bound: number) => number} below */
function moved(content, below) {
  const [from, to] = Object.entries(content.styles);
  const [sku] = Object.entries(from?.[1].skus ?? {});
  if (!to || !sku || below(2)) return content;
  const { [sku[0]]: _, ...left } = from[1].skus;
  const styles = {
    [from[0]]: { ...from[1], skus: left },
    [to[0]]: { ...to[1], skus: { ...to[1].skus, [sku[0]]: sku[1] } },
  };
  return { ...content, styles: { ...content.styles, ...styles } };
}
