'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { startPostgres } = require('../../../scripts/local/postgres');
const { until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, failedChecks, prepareWrites } = require('../../helpers/writer');

const PRODUCTS = 40;
const CALLERS = 12;
/** Acknowledged writes between two kills. */
const BETWEEN = 25;

/** @type {import('../../../scripts/local/postgres').Postgres} */
let server;
/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
let [dir, key] = ['', ''];
beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'killed-'));
  server = await startPostgres({ dir });
  catalog = await createCatalog(manyProducts(PRODUCTS), server);
  key = await prepareWrites(catalog);
}, 60_000);
afterAll(async () => {
  await catalog?.client.end().catch(() => {});
  await server?.stop('immediate');
  fs.rmSync(dir, { recursive: true });
});

/** @param {number} port */
async function startWriterAt(port) {
  const settings = {
    WRITE_PORT: port,
    WRITE_ADMIN_PORT: port + 1,
    WRITE_DATABASE_URL: catalog.writerDsn,
    LOG_LEVEL: 'warn',
  };
  const writer = startWorker(settings, 'writer/index.js');
  await once(writer.child, 'message');
  return writer;
}

/**
 * Callers who write until they are stopped, and repeat what was not answered with the same key, as the README tells them.
 * @param {string} url
 */
function writeConstantly(url) {
  const call = callerOf(url, key);
  /** @type {Map<string, { status: number, product: number }>} by request id: what was acknowledged */
  const acknowledged = new Map();
  const [state, errors] = [{ stopping: false, number: 0 }, /** @type {string[]} */ ([])];
  async function caller() {
    while (!state.stopping) {
      const id = `w-${(state.number += 1)}`;
      const isNew = state.number % 5 === 0;
      const product = isNew ? 0 : idOf(1 + (state.number % PRODUCTS));
      const body = isNew
        ? {
            ...{ name: id, slogan: '', description: '', category: '', default_price: '1' },
            features: [],
            related: [],
            styles: {},
          }
        : { name: id };
      const send = () =>
        call(isNew ? 'POST' : 'PATCH', isNew ? '/products' : `/products/${product}`, body, {
          ...{ 'Idempotency-Key': id, 'X-Request-Id': id },
        }).catch(() => null);
      let reply = await send();
      while (!reply || reply.status === 503 || reply.status === 409) {
        await new Promise((resolve) => void setTimeout(resolve, 20));
        reply = await send();
      }
      if (reply.status < 300) acknowledged.set(id, { status: reply.status, product: reply.body.id });
      else errors.push(`${id}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    acknowledged,
    errors,
    /** Waits for some more acknowledgements. */
    more() {
      const goal = acknowledged.size + BETWEEN;
      return until(() => acknowledged.size >= goal);
    },
    async stop() {
      state.stopping = true;
      await callers;
    },
  };
}

/**
 * Ends both. What was acknowledged is in the history exactly once, and in what is served.
 * @param {Awaited<ReturnType<typeof startWriterAt>>} writer @param {ReturnType<typeof writeConstantly>} writing
 */
async function expectWholeAtEnd(writer, { more, stop, acknowledged, errors }) {
  await more();
  await stop();
  writer.child.kill('SIGTERM');
  expect(await writer.exited).toEqual([0, null]);
  expect(errors).toEqual([]);
  const { rows } = await catalog.client.query(
    "SELECT request_id, product_id FROM catalog_log.revisions WHERE kind <> 'load' ORDER BY seq",
  );
  const written = Object.groupBy(rows, ({ request_id: id }) => id);
  for (const [id, { product }] of acknowledged)
    expect([id, written[id]?.map((row) => row.product_id)]).toEqual([id, [product]]);
  expect(Object.keys(written)).toHaveLength(acknowledged.size); // callers repeat until they know
  const last = new Map(rows.map((row) => [row.product_id, row.request_id]));
  const served = await catalog.client.query('SELECT id, name FROM catalog.products WHERE id = ANY ($1)', [
    [...last.keys()],
  ]);
  expect(Object.fromEntries(served.rows.map(({ id, name }) => [id, name]))).toEqual(Object.fromEntries(last));
  expect(await failedChecks(catalog.client)).toEqual([]);
  const gaps = await catalog.client.query('SELECT max(seq) = count(*) AS whole FROM catalog_log.commits');
  expect(gaps.rows).toEqual([{ whole: true }]);
}

test('a writer that is killed again and again does once what it acknowledged', async () => {
  const port = await freePort(2);
  let writer = await startWriterAt(port);
  const writing = writeConstantly(`http://127.0.0.1:${port}`);
  for (let kills = 0; kills < 4; kills += 1) {
    await writing.more();
    writer.child.kill('SIGKILL');
    await writer.exited;
    writer = await startWriterAt(port);
  }
  await expectWholeAtEnd(writer, writing);
}, 120_000);

/** The processes of a killed server hold its memory until they notice. */
async function restartPostgres() {
  await until(async () => {
    try {
      server = await startPostgres({ dir });
      return true;
    } catch {
      return false;
    }
  });
  catalog.client = new Client({ connectionString: catalog.superuserDsn });
  catalog.client.on('error', () => {});
  await catalog.client.connect();
}

test('nothing acknowledged is lost while PostgreSQL is killed again and again', async () => {
  await catalog.client.query('TRUNCATE catalog_log.revisions, catalog_log.requests');
  const port = await freePort(2);
  const writer = await startWriterAt(port);
  const writing = writeConstantly(`http://127.0.0.1:${port}`);
  for (let kills = 0; kills < 2; kills += 1) {
    await writing.more();
    process.kill(server.pid, 'SIGKILL');
    await restartPostgres();
  }
  await expectWholeAtEnd(writer, writing);
}, 120_000);
