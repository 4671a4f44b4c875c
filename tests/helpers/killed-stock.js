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
/** Requests between two kills. */
const BETWEEN = 20;

/** Rows that a step of stock waits for when another session holds them. */
const POINTS = {
  'an append': 'catalog_log.stock_head',
  'the beginning of an apply': 'catalog_log.stock_applied',
  'the end of an apply': 'catalog_log.head',
};

const NEXT_SEGMENT = "SELECT pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()";

/** Leaves no byte of a disk free. @param {string} file */
function fill(file) {
  const out = fs.openSync(file, 'w');
  for (let size = 2 ** 20; size >= 1;) {
    try {
      fs.writeSync(out, Buffer.alloc(size));
    } catch {
      size /= 2;
    }
  }
  fs.closeSync(out);
}

/**
 * A PostgreSQL, a writer and clients, to kill.
 * @param {{ disk?: string, settings?: Record<string, string> }} [options] disk: folder for it
 */
async function createKilledStock({ disk = os.tmpdir(), settings: ofServer = {} } = {}) {
  const dir = fs.mkdtempSync(path.join(disk, 'killed-stock-'));
  const startServer = () => startPostgres({ dir, settings: ofServer });
  let server = await startServer();
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

  async function restart() {
    // The processes of a killed server hold its memory until they notice.
    await until(() => startServer().then((started) => Boolean((server = started)), () => false)); // prettier-ignore
    catalog.client = await connect();
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
      await restart();
    },
    /** The disk of PostgreSQL is full for a while: of tables, then also of its WAL, which crashes it. @param {'tables' | 'WAL'} what */
    async fillDisk(what) {
      await clients.more(BETWEEN);
      // Segments of the WAL that are used again: there is room for it when there is none for tables.
      for (let segment = 0; segment < 4; segment += 1) await catalog.client.query(NEXT_SEGMENT);
      await catalog.client.query('CHECKPOINT');
      const filler = path.join(dir, 'filler');
      fill(filler);
      if (what === 'WAL') {
        const isLost = () => catalog.client.query(NEXT_SEGMENT).then(() => false, () => true); // prettier-ignore
        await until(isLost);
      }
      await clients.refused(BETWEEN);
      fs.rmSync(filler);
      if (what === 'WAL') {
        await server.stop('immediate'); // it has ended, or runs again: the bytes that its crash freed decide
        await restart();
      }
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
