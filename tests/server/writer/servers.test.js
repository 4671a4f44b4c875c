'use strict';

const { until } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/database');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');

/*
 * restored-database.long.test.js beside the tests of the store does this with real restores.
 */

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
let key = '';
/** @type {Awaited<ReturnType<typeof startWriter>>} */
let writer;
beforeAll(async () => {
  catalog = await createCatalog();
  key = await prepareWrites(catalog, { scopes: ['content', 'changes'] });
  writer = await startWriter(catalog.writerDsn);
});
afterAll(async () => {
  await writer?.close();
  await catalog?.drop();
});

const sql = async (/** @type {string} */ text) => (await catalog.client.query(text)).rows;
const state = async () => (await sql('SELECT version::int, era FROM catalog_meta.data_version, catalog_log.head'))[0];
let count = 0;
const write = () => callerOf(writer.url, key)('PATCH', '/products/4', { name: `${(count += 1)}` });

test('commits of one server keep the data version', async () => {
  const before = await state();
  for (const { status } of [await write(), await write()]) expect(status).toBe(200);
  expect(await state()).toEqual(before);
});

test('the first commit of another server gives cache keys another version, and keeps cursors', async () => {
  const { body } = await callerOf(writer.url, key)('GET', '/changes?after=head');
  const { version, era } = await state();
  await sql("UPDATE catalog_log.head SET server = 'another'");
  const written = await Promise.all([write(), write(), write()]);
  expect(written.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await state()).toEqual({ version: version + 1, era });
  const changes = await callerOf(writer.url, key)('GET', `/changes?after=${body.next}`);
  expect(changes.body.changes.map((/** @type {any} */ { product }) => product)).toEqual([4, 4, 4]);
});

test('the first commit in a restored database begins an era', async () => {
  const { body } = await callerOf(writer.url, key)('GET', '/changes?after=head');
  const { version, era } = await state();
  await sql("UPDATE catalog_log.head SET server = 'another', origin = 'another'");
  expect((await write()).status).toBe(200);
  const after = await state();
  expect([after.version, after.era > era]).toEqual([version + 1, true]);
  expect((await callerOf(writer.url, key)('GET', `/changes?after=${body.next}`)).status).toBe(410);
});

test('rows that are put back into the same tables begin an era', async () => {
  const { version, era } = await state();
  await sql('CREATE TEMP TABLE saved AS TABLE catalog_log.head');
  await sql('BEGIN; DELETE FROM catalog_log.head; INSERT INTO catalog_log.head TABLE saved; COMMIT');
  await until(async () => (await state()).version === version + 1);
  expect((await state()).era).toBeGreaterThan(era);
  expect((await write()).status).toBe(200);
  expect((await state()).version).toBe(version + 1);
});

test('a writer that connects to another server does not wait for a commit', async () => {
  const { version } = await state();
  const [{ seq }] = await sql("UPDATE catalog_log.head SET server = 'another' RETURNING seq");
  const other = await startWriter(catalog.writerDsn);
  try {
    await until(async () => (await state()).version === version + 1);
    expect(await sql('SELECT seq FROM catalog_log.head')).toEqual([{ seq }]);
  } finally {
    await other.close();
  }
});

test('a database of an earlier release gets another version with the first commit', async () => {
  const { version, era } = await state();
  await sql('UPDATE catalog_log.head SET server = NULL, origin = NULL');
  expect((await write()).status).toBe(200);
  expect(await state()).toEqual({ version: version + 1, era });
});
