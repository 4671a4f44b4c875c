'use strict';

const { createCatalog } = require('../helpers/database');
const { startService, until } = require('../helpers/app');
const { startPair } = require('../helpers/replica');
const { startReadyWorker } = require('../helpers/worker');
const { stockedProducts } = require('../helpers/writes');
const { withClient } = require('../../scripts/local/roles');
const { callerOf, prepareWrites, serveWriter, startWriter } = require('../helpers/writer');

/** @param {string} url @param {string} path @param {string} [cursor] */
async function get(url, path, cursor) {
  const reply = await fetch(url + path, cursor ? { headers: { 'Catalog-Min-Cursor': cursor } } : {});
  return { status: reply.status, body: await reply.json() };
}

describe('Catalog-Min-Cursor while the nearest server is a replica that stands still', () => {
  /** @type {Awaited<ReturnType<typeof startPair>>} */
  let pair;
  /** @type {import('../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startWriter>>} */
  let writer;
  /** @type {Awaited<ReturnType<typeof startService>>[]} one that knows both servers, and one that knows the replica alone */
  let workers = [];
  let key = '';
  const onReplica = (/** @type {string} */ sql) =>
    withClient(pair.replica.at(catalog.superuserDsn), (client) => client.query(sql));

  beforeAll(async () => {
    pair = await startPair();
    catalog = await createCatalog(stockedProducts(10), pair.primary);
    key = await prepareWrites(catalog);
    writer = await startWriter(catalog.writerDsn);
    const urls = [pair.all(catalog.dsn), pair.replica.at(catalog.dsn)];
    workers = await Promise.all(urls.map((DATABASE_URL) => startService({ DATABASE_URL, VERSION_POLL_MS: 50 })));
    for (const { service } of workers) await until(() => service.health().ready);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([...workers, writer].map((each) => each?.close()));
    await catalog?.client.end();
    await pair?.stop();
  });

  test('the write is read from the server that has it, and is "not yet" where none has', async () => {
    await onReplica('SELECT pg_wal_replay_pause()');
    const { headers } = await callerOf(writer.url, key)('PATCH', '/products/3', { name: 'written' });
    const cursor = String(headers.get('catalog-cursor'));
    const [both, alone] = workers.map(({ url }) => url);
    for (const path of ['/products/3', '/products?ids=3', '/products?count=10']) {
      const { status, body } = await get(both, path, cursor);
      expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('"written"')]);
    }
    expect(await get(alone, '/products/3', cursor)).toMatchObject({ status: 503, body: { title: expect.any(String) } });
    expect(await get(alone, '/products/3')).toMatchObject({ status: 200, body: { name: 'Product 3' } });
    await onReplica('SELECT pg_wal_replay_resume()');
    await until(async () => (await get(alone, '/products/3', cursor)).body.name === 'written');
  });
});

describe('a worker that slept for longer than the log is kept', () => {
  const served = serveWriter(stockedProducts(20));

  test('notices, and serves what was written meanwhile', async () => {
    const worker = await startReadyWorker({ DATABASE_URL: served.catalog.dsn, EVENT_LOOP_LAG_LIMIT_MS: 60_000 });
    const names = async () => {
      const list = await get(worker.url, '/products?count=20');
      const one = await get(worker.url, '/products/5');
      const styles = await get(worker.url, '/products/5/styles');
      return [list.body[4].name, one.body.name, styles.body.results[0].name];
    };
    const rename = (/** @type {string} */ name) =>
      served.call('PATCH', '/products/5', { name, styles: { 5: { name } } });
    try {
      await rename('before');
      await until(async () => (await names()).every((name) => name === 'before'));
      worker.child.kill('SIGSTOP');
      for (const name of ['first', 'second', 'last']) expect((await rename(name)).status).toBe(200);
      await served.catalog.client.query(
        'DELETE FROM catalog_log.commits WHERE seq < (SELECT max(seq) FROM catalog_log.commits)',
      );
      worker.child.kill('SIGCONT');
      await until(async () => (await names()).every((name) => name === 'last'));
    } finally {
      worker.child.kill('SIGKILL');
      await worker.exited;
    }
  });
});
