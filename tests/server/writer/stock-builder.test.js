'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');

const { loadWriterConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { StockBuilder } = require('../../../server/writer/stock/builder');
const { WriterDatabase } = require('../../../server/writer/database/writer-database');
const { patient, until } = require('../../helpers/app');
const { createWritableCatalog, readStyles, untilBlocked } = require('../../helpers/stock');
const { callerOf, failedChecks, prepareWrites, startWriter } = require('../../helpers/writer');
const { stockedProducts } = require('../../helpers/writes');

const PRODUCTS = 700;

/** @type {Awaited<ReturnType<typeof createWritableCatalog>>} */
let catalog;
/** @type {Awaited<ReturnType<typeof startWriter>>} */
let writer;
/** @type {WriterDatabase} */
let database;
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  catalog = await createWritableCatalog(stockedProducts(PRODUCTS));
  call = await prepareWrites(catalog, { scopes: ['stock'] }).then(async (key) => {
    writer = await startWriter(catalog.writerDsn);
    return callerOf(writer.url, key);
  });
  database = new WriterDatabase(
    loadWriterConfig({ ...patient, WRITE_DATABASE_URL: catalog.writerDsn }),
    createEvents(),
  );
  database.open();
  await until(() => database.ready);
});
afterAll(async () => {
  await database?.close();
  await writer?.close();
  await catalog?.drop();
});

/** @param {number} quantity of all skus */
const restock = (quantity) =>
  call('POST', '/stock', {
    set: Array.from({ length: PRODUCTS }, (_, place) => [place + 1, quantity]),
    compare: 'none',
  });
const staleIds = async () =>
  (await catalog.client.query('SELECT id FROM catalog.product_state WHERE styles_seq > built_seq ORDER BY id')).rows;

/** @param {{ unapplied?: number, settledAfterS?: number }} options @param {(builder: StockBuilder) => Promise<void>} work */
async function withBuilder({ unapplied = 0, settledAfterS = 0 }, work) {
  const offsets = /** @type {any} */ ({ unapplied });
  const builder = new StockBuilder({ database, offsets, events: createEvents(), settledAfterS, passMs: 10 });
  builder.open();
  try {
    await work(builder);
  } finally {
    await builder.close();
  }
}

test('builds all stale replies, which are then those that were made live', async () => {
  expect((await restock(7)).status).toBe(200);
  expect(await staleIds()).toHaveLength(PRODUCTS);
  const reader = await catalog.connect('catalog_api');
  const live = await readStyles(reader, 1);
  await withBuilder({}, async (builder) => {
    await until(async () => (await staleIds()).length === 0);
    await until(() => builder.stale === 0);
  });
  expect(await readStyles(reader, 1)).toBe(live);
  expect(await failedChecks(catalog.client)).toEqual([]);
  const { rows } = await catalog.client.query('SELECT DISTINCT kind FROM catalog_log.commits');
  expect(rows).toEqual([{ kind: 'stock' }]); // it changes no content
});

test('leaves alone what was just restocked, and what waits behind operations', async () => {
  await restock(8);
  for (const options of [{ settledAfterS: 3600 }, { unapplied: 1 }])
    await withBuilder(options, (builder) => until(() => builder.stale === PRODUCTS));
  expect(await staleIds()).toHaveLength(PRODUCTS);
});

test('logs what an earlier release wrote into the rows without telling', async () => {
  await restock(9);
  await catalog.client.query("UPDATE catalog.products SET name = 'Other' WHERE id = 9");
  await withBuilder({}, () => until(async () => (await staleIds()).length === 0));
  const { rows } = await catalog.client.query(
    'SELECT kind, updated FROM catalog_log.commits ORDER BY seq DESC LIMIT 1',
  );
  expect(rows).toEqual([{ kind: 'content', updated: [9] }]);
  expect(await failedChecks(catalog.client)).toEqual([]);
});

/** A process that builds without pauses, until it is killed. */
const BUILDER = `
  const { loadWriterConfig } = require('./config/config');
  const { createEvents } = require('./core/events');
  const { StockBuilder } = require('./writer/stock/builder');
  const { WriterDatabase } = require('./writer/database/writer-database');
  const events = createEvents();
  const database = new WriterDatabase(loadWriterConfig(process.env), events);
  database.open();
  const parts = { database, events, offsets: { unapplied: 0 } };
  new StockBuilder({ ...parts, settledAfterS: 0, passMs: 10 }).open();
  setInterval(() => {}, 1000);`;

test.each([
  ['before it has made documents', 'catalog.products'],
  ['before it has marked them', 'catalog.product_state'],
])('a kill -9 in the middle of a build, %s, loses nothing, and the rest is built', async (_, table) => {
  const [{ quantity }] = (await catalog.client.query('SELECT max(quantity) + 1 AS quantity FROM catalog.skus')).rows;
  await restock(quantity);
  const reader = await catalog.connect('catalog_api');
  const live = await readStyles(reader, 650);
  const holder = await catalog.connect('catalog_writer');
  await holder.query(`BEGIN; SELECT FROM ${table} WHERE id = 650 FOR UPDATE`);
  const builder = spawn(process.execPath, ['-e', BUILDER], {
    cwd: join(__dirname, '../../../server'),
    env: { WRITE_DATABASE_URL: catalog.writerDsn },
    stdio: 'ignore',
  });
  await untilBlocked(catalog.client); // the first 500 are built, and this one is among the others
  builder.kill('SIGKILL');
  await once(builder, 'exit');
  await holder.query('ROLLBACK');
  expect(await staleIds()).toEqual(Array.from({ length: PRODUCTS - 500 }, (__, place) => ({ id: 501 + place })));
  expect(await readStyles(reader, 650)).toBe(live);
  await withBuilder({}, () => until(async () => (await staleIds()).length === 0));
  expect(await readStyles(reader, 650)).toBe(live);
  expect(await failedChecks(catalog.client)).toEqual([]);
  const { rows } = await catalog.client.query('SELECT max(seq) = count(*) AS whole FROM catalog_log.commits');
  expect(rows).toEqual([{ whole: true }]);
});
