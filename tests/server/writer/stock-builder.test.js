'use strict';

const { loadWriterConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/events');
const { StockBuilder } = require('../../../server/writer/stock/builder');
const { WriterDatabase } = require('../../../server/writer/store/database');
const { patient, until } = require('../../helpers/app');
const { createWritableCatalog, readStyles } = require('../../helpers/stock');
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
  const positions = /** @type {any} */ ({ unapplied });
  const builder = new StockBuilder({ database, positions, events: createEvents(), settledAfterS, passMs: 10 });
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
