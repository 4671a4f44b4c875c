'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { startPostgres } = require('../../scripts/local/postgres');
const { until } = require('./app');
const { createCatalog } = require('./database');
const { freePort } = require('./servers');
const { untilBlocked } = require('./stock');
const { changeStockConstantly, historyDefects } = require('./stock-clients');
const { startWorker } = require('./worker');
const { stockedProducts } = require('./writes');
const { prepareWrites } = require('./writer');

const PRODUCTS = 40;
/** Of requests, between two kills. */
const BETWEEN = 20;

/** Rows that a step of stock waits for when another session holds them. */
const POINTS = {
  'an append': 'catalog_log.stock_head',
  'the beginning of an apply': 'catalog_log.stock_applied',
  'the end of an apply': 'catalog_log.head',
};

/** A PostgreSQL, a writer and clients, to kill. */
async function createKilledStock() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'killed-stock-'));
  let server = await startPostgres({ dir });
  const catalog = await createCatalog(stockedProducts(PRODUCTS), server);
  const key = await prepareWrites(catalog, { name: 'till', scopes: ['stock'] });
  const port = await freePort(2);
  const settings = {
    WRITE_PORT: port,
    WRITE_ADMIN_PORT: port + 1,
    WRITE_DATABASE_URL: catalog.writerDsn,
    LOG_LEVEL: 'warn',
  };
  const start = async () => {
    const started = startWorker(settings, 'writer/index.js');
    await once(started.child, 'message');
    return started;
  };
  const running = { writer: await start() };
  const clients = changeStockConstantly({ urls: [`http://127.0.0.1:${port}`], key, skus: PRODUCTS, clients: 12 });

  async function connect() {
    const client = new Client({ connectionString: catalog.superuserDsn });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  return {
    /** @param {keyof typeof POINTS} [point] when the writer is there; at any time when left out */
    async killWriter(point) {
      await clients.more(BETWEEN);
      const holder = point && (await connect());
      if (holder) {
        await holder.query(`BEGIN; SELECT FROM ${POINTS[point]} FOR UPDATE`);
        await untilBlocked(catalog.client);
      }
      running.writer.child.kill('SIGKILL');
      await running.writer.exited;
      await holder?.end();
      Object.assign(running, { writer: await start() });
    },
    async killPostgres() {
      await clients.more(BETWEEN);
      process.kill(server.pid, 'SIGKILL');
      // The processes of a killed server hold its memory until they notice.
      await until(() => startPostgres({ dir }).then((started) => Boolean((server = started)), () => false)); // prettier-ignore
      catalog.client = await connect();
    },
    /** Stops clients and writer. @returns {Promise<string[]>} what is wrong */
    async defects() {
      await clients.more(BETWEEN);
      await clients.stop();
      running.writer.child.kill('SIGTERM');
      const [code] = await running.writer.exited;
      const before = new Map(Array.from({ length: PRODUCTS }, (_, place) => [place + 1, 1]));
      const found = await historyDefects(catalog.client, clients.sent, before);
      return [...clients.errors, ...found, ...(code === 0 ? [] : [`the writer ended with ${code}`])];
    },
    async close() {
      await clients.stop();
      running.writer.child.kill('SIGKILL');
      await catalog.client.end().catch(() => {});
      await server.stop('immediate');
      fs.rmSync(dir, { recursive: true });
    },
  };
}

module.exports = { POINTS, createKilledStock };
