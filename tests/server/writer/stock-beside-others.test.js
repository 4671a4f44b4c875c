'use strict';

const { Client } = require('pg');

const { until } = require('../../helpers/app');
const { untilBlocked } = require('../../helpers/stock');
const { changeStockConstantly, historyDefects } = require('../../helpers/stock-clients');
const { stockedProducts } = require('../../helpers/writes');
const { callerOf, prepareWrites, serveWriter, startWriter } = require('../../helpers/writer');

const PRODUCTS = 20;
const served = serveWriter(stockedProducts(PRODUCTS), { PG_LOCK_TIMEOUT_MS: 300 });
/** @type {string} */
let key;
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  key = await prepareWrites(served.catalog, { name: 'till', scopes: ['stock'] });
  call = callerOf(served.app.url, key);
});

const ASYNC = { Prefer: 'respond-async' };
/** @param {number} sku @param {number} quantity @param {Record<string, string>} [headers] */
const put = (sku, quantity, headers) => call('PUT', `/skus/${sku}/quantity`, { quantity, compare: 'none' }, headers);
const many = { set: Array.from({ length: 10_000 }, (_, place) => [1 + (place % PRODUCTS), 5]), compare: 'none' };
/** @param {{ body: any }} reply */
const slugOf = ({ body }) => body.type.slice('urn:catalog:problem:'.length);
const quantities = async () =>
  new Map((await served.catalog.client.query('SELECT id, quantity FROM catalog.skus ORDER BY id')).rows.map((row) => [row.id, row.quantity])); // prettier-ignore

/** Another session holds something. @param {string} what SQL @param {() => Promise<void>} work */
async function behind(what, work) {
  const other = new Client({ connectionString: served.catalog.superuserDsn });
  await other.connect();
  await other.query(`BEGIN; ${what}`);
  try {
    await work();
  } finally {
    await other.end();
  }
}
const GATE = 'SELECT pg_advisory_xact_lock(catalog_log.gate())';
const allApplied = () =>
  until(async () => {
    const { rows } = await served.catalog.client.query(
      'SELECT head.pos = applied.pos AS done FROM catalog_log.stock_head AS head, catalog_log.stock_applied AS applied',
    );
    return rows[0].done;
  });

test('during a swap stock is logged, and it is applied after it', async () => {
  await behind(GATE, async () => {
    expect((await put(2, 11, ASYNC)).status).toBe(202);
    const waited = await put(3, 12);
    expect([waited.status, waited.headers.get('preference-applied')]).toEqual([202, null]);
    expect((await call('GET', `/writes/${waited.body.position}`)).body.state).toBe('logged');
  });
  await allApplied();
  expect((await quantities()).get(2)).toBe(11);
  expect((await quantities()).get(3)).toBe(12);
});

test.each([
  ['a swap', GATE],
  ['another writer that applies', 'SELECT FROM catalog_log.stock_applied FOR UPDATE'],
])('beside %s, a client that waits alone gets a position in time, too', async (_, what) => {
  const writer = await startWriter(served.catalog.writerDsn, { PG_LOCK_TIMEOUT_MS: 300 });
  const quantity = { quantity: 12, compare: 'none' };
  await behind(what, async () => {
    const { status, body } = await callerOf(writer.url, key)('PUT', '/skus/3/quantity', quantity);
    expect([status, (await call('GET', `/writes/${body.position}`)).body.state]).toEqual([202, 'logged']);
  });
  await allApplied();
  await writer.close();
});

test('stock waits for the indexes that a load builds last', async () => {
  await served.catalog.client.query('ALTER INDEX catalog.skus_by_id RENAME TO being_built');
  const { body } = await put(4, 13, ASYNC);
  expect((await put(5, 14)).status).toBe(202);
  expect((await call('GET', `/writes/${body.position}`)).body.state).toBe('logged');
  await served.catalog.client.query('ALTER INDEX catalog.being_built RENAME TO skus_by_id');
  await allApplied();
  expect((await quantities()).get(5)).toBe(14);
});

test('operations beyond the queue are refused, and none of the others is lost', async () => {
  /** @type {Promise<any>[]} */
  let waiting = [];
  await behind('SELECT FROM catalog_log.stock_head FOR UPDATE', async () => {
    waiting = [call('POST', '/stock', many), call('POST', '/stock', many)];
    await untilBlocked(served.catalog.client);
    await until(async () => slugOf(await put(1, 1)) === 'overloaded');
  });
  const replies = await Promise.all(waiting);
  // The one in the database may have waited too long for its lock.
  expect(replies.map(({ status }) => status)).toContain(200);
  for (const reply of replies) if (reply.status !== 200) expect(slugOf(reply)).toBe('unavailable');
});

test('stock that is not applied for too long is refused, until it is', async () => {
  await behind(GATE, async () => {
    await put(6, 15, ASYNC);
    await served.catalog.client.query("UPDATE catalog_log.stock_log SET at = at - interval '11 s'");
    await until(async () => (await put(7, 16, ASYNC)).status === 503);
    const refused = await put(7, 17, ASYNC);
    expect([slugOf(refused), refused.headers.get('retry-after')]).toEqual(['overloaded', '1']);
  });
  await until(async () => (await put(7, 18, ASYNC)).status === 202);
  await allApplied();
  const after = await quantities();
  expect([after.get(6), after.get(7)]).toEqual([15, 18]);
});

test('a writer that stops answers what is under way, and applies what it has logged', async () => {
  const stopping = await startWriter(served.catalog.writerDsn);
  const callIt = callerOf(stopping.url, key);
  await callIt('GET', '/writes/1');
  /** @type {Promise<any>[]} */
  let replies = [];
  await behind('SELECT FROM catalog_log.stock_applied FOR UPDATE', async () => {
    const set = (/** @type {number} */ sku) => ({ set: [[sku, 21]], compare: 'none' });
    replies = [callIt('POST', '/stock', set(8), ASYNC), callIt('POST', '/stock', set(9))];
    await untilBlocked(served.catalog.client);
    replies.push(stopping.close().then(() => ({ status: 0 })));
  });
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([202, 200, 0]);
  expect((await quantities()).get(8)).toBe(21);
});

test('two writers lose nothing, do nothing twice, and answer what the other one has applied', async () => {
  await served.catalog.client.query(`TRUNCATE catalog_log.stock_log, catalog_log.stock_rejects, catalog_log.requests;
    UPDATE catalog_log.stock_head SET pos = 0; UPDATE catalog_log.stock_applied SET pos = 0`);
  const before = await quantities();
  const second = await startWriter(served.catalog.writerDsn);
  const clients = changeStockConstantly({ urls: [served.app.url, second.url], key, skus: PRODUCTS, clients: 8 });
  await clients.more(400);
  await clients.stop();
  await allApplied();
  await second.close();
  expect([...clients.errors, ...(await historyDefects(served.catalog.client, clients.sent, before))]).toEqual([]);
});
