'use strict';

const { until } = require('../../helpers/app');
const { sendBulk, smallProduct } = require('../../helpers/bulk');
const { createCatalog } = require('../../helpers/database');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');

const OTHERS = 5000;
const OTHERS_FROM = 600_000;

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
beforeAll(async () => {
  catalog = await createCatalog();
});
afterAll(() => catalog?.drop());

/** @returns {Promise<Record<string, { seq: number, key: number }>>} how often each table was read as a whole, and by a key */
async function reads() {
  const { rows } = await catalog.client.query(`
    SELECT relname AS name, seq_scan::int AS seq, coalesce(idx_scan, 0)::int AS key
    FROM pg_stat_user_tables
    WHERE schemaname IN ('catalog', 'catalog_log') AND relname <> 'head' AND relname !~ '^stock_(head|applied)$' -- of one row`);
  return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
}

/** Products, styles and skus that no write names: so many that a plan by all of a table costs less than keys, if it is asked for many. */
async function addOthers() {
  for (const [table, names] of Object.entries({
    products: ['id'],
    styles: ['id', 'product_id'],
    skus: ['id', 'style_id'],
  }))
    await catalog.client.query(`
      INSERT INTO catalog.${table}
      SELECT other.*
      FROM (SELECT row FROM catalog.${table} AS row LIMIT 1) AS one
      CROSS JOIN generate_series(${OTHERS_FROM}, ${OTHERS_FROM + OTHERS}) AS number
      CROSS JOIN LATERAL jsonb_populate_record(one.row, jsonb_build_object(${names.map((name) => `'${name}', number`)})) AS other`);
}

/** @returns {Promise<Record<string, number>>} entries that were read, by index */
async function entriesRead() {
  const { rows } = await catalog.client.query(`
    SELECT indexrelname AS name, idx_tup_read::int AS entries FROM pg_stat_user_indexes WHERE schemaname IN ('catalog', 'catalog_log')`);
  return Object.fromEntries(rows.map(({ name, entries }) => [name, entries]));
}

test('no write or read reads a table as a whole, also if it was empty at the first one', async () => {
  const key = await prepareWrites(catalog);
  await addOthers();
  await catalog.client.query('VACUUM ANALYZE'); // the planner now knows that the tables of the log are empty
  await catalog.client.query('SELECT pg_stat_force_next_flush()'); // of what VACUUM read
  const before = await reads();
  const entriesBefore = await entriesRead();
  const app = await startWriter(catalog.writerDsn);
  const call = callerOf(app.url, key);
  const etag = String((await call('GET', '/products/1')).headers.get('etag'));
  for (const [id, name] of /** @type {const} */ ([
    [1, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]))
    expect((await call('PATCH', `/products/${id}`, { name, related: [7] })).status).toBe(200);
  expect((await call('PATCH', '/products/1', { name: 'd' }, { 'If-Match': etag })).body.conflicts).toEqual(['/name']);
  const { lines } = await sendBulk(app.url, key, 'plans', [
    { op: 'create', body: smallProduct('new') },
    { op: 'delete', id: 7, if_match: '*' },
    { op: 'patch', id: 1, body: { styles: { 1: { photos: [], skus: { 37: null } }, 2: null }, features: [] } },
  ]);
  expect(lines.at(-1)).toMatchObject({ done: true, failed: 0 });
  const back = await call('POST', '/products/1/rollback', { to: 1, reason: 'x' }, { 'If-Match': '*' });
  expect(back.status).toBe(422); // names 7, which is gone
  const other = await call('POST', '/products/2/rollback', { to: 1, reason: 'x' }, { 'If-Match': '*' });
  expect(other.status).toBe(200);
  for (const tail of ['', '/1', '/1/diff?to=2'])
    expect((await call('GET', `/products/1/revisions${tail}`)).status).toBe(200);
  await app.close(); // its connections report what they read when they end
  await until(async () => (await reads()).revisions.key > before.revisions.key);
  const after = await reads();
  const whole = Object.keys(after).filter((name) => after[name].seq > before[name].seq);
  expect(whole).toEqual([]);
  const entries = Object.entries(await entriesRead()).map(([name, count]) => [name, count - entriesBefore[name]]);
  expect(entries.filter(([, count]) => Number(count) >= OTHERS)).toEqual([]);
});
