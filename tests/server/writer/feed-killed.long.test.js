'use strict';

const { once } = require('node:events');

const { until } = require('../../helpers/app');
const { follow, readChanges } = require('../../helpers/changes');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, prepareWrites } = require('../../helpers/writer');

const PRODUCTS = 40;
const READERS = 20;
const KILLS = 6;

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
beforeAll(async () => void (catalog = await createCatalog(manyProducts(PRODUCTS))), 60_000);
afterAll(() => catalog?.drop());

/** @param {number} port @param {number} adminPort */
async function startAt(port, adminPort) {
  const settings = {
    WRITE_PORT: port,
    WRITE_ADMIN_PORT: adminPort,
    WRITE_DATABASE_URL: catalog.writerDsn,
    LOG_LEVEL: 'warn',
  };
  const writer = startWorker(settings, 'writer/index.js');
  await once(writer.child, 'message');
  return writer;
}

test('readers see each change once and in one order while a writer is killed again and again', async () => {
  const key = await prepareWrites(catalog, { name: 'all', scopes: ['content', 'changes'] });
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const urls = [ports[0], ports[2]].map((port) => `http://127.0.0.1:${port}`);
  const other = await startAt(ports[2], ports[3]);
  let killed = await startAt(ports[0], ports[1]);
  const [first, second] = urls.map((url) => callerOf(url, key));
  const { head: begin } = (await second('GET', '/changes?after=head')).body;
  // Most follow the one that is killed, and some move to the other one.
  const readers = Array.from({ length: READERS }, (_, index) => {
    let turn = -1;
    return follow(() => urls[index % 4 === 0 ? Math.min(1, (turn += 1)) : 0], key, begin);
  });
  const staying = readers.filter((_, index) => index % 4 > 0);

  const state = { stopping: false, done: 0 };
  const callers = [first, second, first, second].map(async (call, number) => {
    while (!state.stopping) {
      const id = idOf(1 + ((state.done * 7 + number) % PRODUCTS));
      const reply = await call('PATCH', `/products/${id}`, { name: `${number}-${state.done}` }).catch(() => null);
      if (reply?.status === 200) state.done += 1;
      else await new Promise((resolve) => void setTimeout(resolve, 10));
    }
  });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await until(() => state.done >= kill * 40 && staying.every(({ seen }) => seen.connections >= kill));
    killed.child.kill('SIGKILL');
    await killed.exited;
    killed = await startAt(ports[0], ports[1]);
  }
  state.stopping = true;
  await Promise.all(callers);

  const { changes, next } = await readChanges(second, begin);
  await until(() => readers.every((reader) => reader.changes.length >= changes.length));
  const [from, to] = [begin, next].map((cursor) => Number(cursor.split('.')[1]));
  const seqs = new Set(changes.map(({ cursor }) => Number(cursor.split('.')[1])));
  expect([...seqs]).toEqual(Array.from({ length: to - from }, (_, index) => from + 1 + index));
  for (const reader of readers) expect(reader.changes).toEqual(changes);
  expect((await readChanges(first, begin)).changes).toEqual(changes);
  const { rows } = await catalog.client.query(
    'SELECT product_id AS product, revision FROM catalog_log.revisions WHERE seq IS NOT NULL ORDER BY seq, product_id',
  );
  const bySeq = (/** @type {any} */ { cursor, product }) => Number(cursor.split('.')[1]) * 2 ** 20 + product;
  expect(
    changes.toSorted((a, b) => bySeq(a) - bySeq(b)).map(({ product, revision }) => ({ product, revision })),
  ).toEqual(rows);
  await Promise.all(readers.map(({ stop }) => stop()));
  for (const { child, exited } of [other, killed]) {
    child.kill('SIGKILL');
    await exited;
  }
}, 120_000);
