'use strict';

const { Client } = require('../../../server/internals/pg/client');
const { StockLog } = require('../../../server/writer/stock/log');
const { operationsOf } = require('../../../server/writer/stock/operations');
const statements = require('../../../server/writer/database/statements');
const { stockedProducts } = require('../../helpers/writes');
const { serveWriter } = require('../../helpers/writer');

/** @type {Client[]} */
const clients = [];
afterAll(() => Promise.all(clients.map((client) => client.end()))); // before the database is dropped
const served = serveWriter(stockedProducts(3));
beforeAll(async () => {
  for (let count = 0; count < 2; count += 1) {
    const client = new Client({ connectionString: served.catalog.writerDsn, pipeline: true });
    await client.connect();
    clients.push(client);
  }
});

/** @param {string} key */
const requestOf = (key) => ({
  ...operationsOf({ adjust: [[1, 1]] }),
  ...{ keyId: 'a1', actor: 'till', idempotency: { key, fingerprint: '0'.repeat(32) } },
});

/** @param {(config: import('../../../server/writer/database/statements').Statement) => Promise<any>} query */
const logOn = (query) =>
  new StockLog({
    database: { on: (_, work) => work(/** @type {any} */ ({ query })) },
    offsets: { unapplied: 0 },
    logged: () => {},
    applied: () => {},
  });

test.each([
  ['only logs', false],
  ['also applies', true],
])('a group that %s may meet another writer again for each of its keys', async (_, waits) => {
  const other = logOn((config) => clients[1].query(config));
  const requests = ['one', 'two', 'three'].map((key) => requestOf(`${key} ${waits}`));
  const before = /** @type {Promise<{ offset: number }>[]} */ ([]);
  const log = logOn(async (config) => {
    const next = requests[before.length];
    if (config.name === statements.stockAppend.name && next) await before[before.push(other.add(next, false)) - 1];
    return clients[0].query(config);
  });
  const replies = await Promise.all(requests.map((request) => log.add(request, waits)));
  expect(before).toHaveLength(3);
  expect(replies.map(({ offset }) => offset)).toEqual((await Promise.all(before)).map(({ offset }) => offset));
});

test('a key that is met and then not found is an unexpected error', async () => {
  const met = Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' });
  let tries = 0;
  const log = logOn(async ({ name }) => {
    if (name !== statements.stockAppend.name) return { rows: [] };
    tries += 1;
    throw met;
  });
  await expect(log.add(requestOf('lost'), false)).rejects.toBe(met);
  expect(tries).toBe(2);
});
