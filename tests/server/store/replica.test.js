'use strict';

const { Client } = require('pg');
const request = require('supertest');

const { childrenOf } = require('../../../scripts/lib/proc');
const { startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { promotion, startPair } = require('../../helpers/replica');

/** @type {Awaited<ReturnType<typeof startPair>>} */
let pair;
/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {Client} superuser on the replica */
let replica;

beforeAll(async () => {
  pair = await startPair({ max_connections: '30' });
  catalog = await createCatalog(manyProducts(1000), pair.primary);
  replica = new Client({ connectionString: pair.replica.at(catalog.superuserDsn) });
  replica.on('error', () => {});
  await until(async () =>
    replica.connect().then(
      () => true,
      () => false,
    ),
  );
  app = await startService({ ...addresses(), VERSION_POLL_MS: 50 });
}, 60_000);
afterAll(async () => {
  await app?.close();
  await replica?.end().catch(() => {});
  await catalog?.client.end().catch(() => {});
  await pair?.stop();
});

const addresses = () => ({ DATABASE_URL: pair.all(catalog.dsn) });
const nameOfReplica = () => `${pair.replica.socketDir}:5432`;

/** @param {number} index of manyProducts */
const product = async (index) => {
  const { status, body } = await request(app.url).get(`/products/${idOf(index)}`);
  return { status, name: body.name };
};
const health = () => app.service.health();

/**
 * Whichever server is ready first answers first: reads products that no cache has until the replica answers.
 * @param {number} index of the first of them
 * @param {RegExp} name of each
 */
async function readsComeFromReplica(index, name) {
  /** @type {string[]} */
  const movedTo = [];
  app.service.events.on('readsMoved', (server) => movedTo.push(server));
  await until(async () => {
    expect(await product(index)).toEqual({ status: 200, name: expect.stringMatching(name) });
    index += 1;
    return movedTo.at(-1) === nameOfReplica();
  });
}

test('the replica answers reads', async () => {
  await readsComeFromReplica(1, /^Product/);
});

test('the replica answers batches, and lists and products with includes', async () => {
  /** @type {string[]} */
  const queried = [];
  const note = (/** @type {any[]} */ ...[statement, lane, , , server]) =>
    void queried.push(`${server === nameOfReplica() ? 'replica ' : ''}${lane} ${statement}`);
  app.service.events.on('queried', note);
  const ids = Array.from({ length: 300 }, (_, index) => idOf(index + 1));
  for (const query of [`/${idOf(7)}?include=offer`, '?count=3&include=styles', `?ids=${ids}`])
    expect((await request(app.url).get(`/products${query}`)).status).toBe(200);
  app.service.events.off('queried', note);
  expect(queried).toEqual(
    expect.arrayContaining(['replica short batch', 'replica short included_page', 'replica bulk batch']),
  );
});

test('the server that takes writes notifies workers of a change before a poll', async () => {
  const own = await startService({ ...addresses(), VERSION_POLL_MS: 3_600_000 });
  try {
    await until(() => own.counts.databaseConnected === 10);
    const changed = own.nextVersion();
    await catalog.client.query('SELECT catalog_meta.bump_version()');
    await changed;
  } finally {
    await own.close();
  }
});

test('a worker warns if all workers together need too many connections', async () => {
  // 80 % of 27 are 21: the 20 of this one fit, and not with the 5 of the worker that all tests here ask.
  const own = await startService({ DATABASE_URL: catalog.dsn, PG_SHORT_CONNECTIONS: 17 });
  try {
    await until(() => own.counts.connectionsShort === 1);
    expect(own.counts.databaseConnected).toBe(20);
  } finally {
    await own.close();
  }
});

test("a database at the primary's address is read before it is promoted", async () => {
  const moved = await startService({ DATABASE_URL: pair.replica.at(catalog.dsn) });
  try {
    await until(() => moved.service.health().ready);
    expect((await request(moved.url).get('/products/2')).status).toBe(200);
  } finally {
    await moved.close();
  }
});

test('no old row is served under the new version while the replica lags', async () => {
  await replica.query('SELECT pg_wal_replay_pause()');
  try {
    await until(
      async () => (await replica.query('SELECT pg_get_wal_replay_pause_state() AS s')).rows[0].s === 'paused',
    );
    const changed = app.nextVersion();
    await catalog.swap(manyProducts(1000).replaceAll('Product', 'Newer'), 2);
    await changed;
    expect(await product(1)).toEqual({ status: 200, name: 'Newer 1' });
  } finally {
    await replica.query('SELECT pg_wal_replay_resume()');
  }
});

test('reads go back to the replica when it has caught up', async () => {
  await readsComeFromReplica(500, /^Newer/);
});

test('reads never fail while the replica hangs', async () => {
  process.kill(pair.replica.pid, 'SIGSTOP');
  const backends = stopBackends(pair.replica.pid);
  try {
    for (let id = 900; id < 910; id += 1) expect((await product(id)).status).toBe(200);
  } finally {
    for (const pid of [...backends, pair.replica.pid]) process.kill(pid, 'SIGCONT');
  }
});

/** @param {() => Promise<void>} work while both servers hang */
async function whileBothHang(work) {
  const servers = [pair.primary.pid, pair.replica.pid];
  for (const pid of servers) process.kill(pid, 'SIGSTOP');
  const backends = servers.flatMap(stopBackends);
  await work().finally(() => {
    for (const pid of [...backends, ...servers]) process.kill(pid, 'SIGCONT');
  });
}

test('while both hang, a long page is refused at once, and later answered', async () => {
  const limits = { PG_LOCK_TIMEOUT_MS: 400, PG_STATEMENT_TIMEOUT_MS: 500, PG_QUERY_TIMEOUT_MS: 600 };
  const own = await startService({ ...addresses(), ...limits });
  const page = async () => (await request(own.url).get('/products?after=1&count=300')).status;
  try {
    await until(async () => (await page()) === 200);
    await whileBothHang(async () =>
      expect(await request(own.url).get('/products?after=2&count=300')).toMatchObject({ status: 503 }),
    );
    await until(async () => (await page()) === 200);
  } finally {
    await own.close();
  }
});

test('while both stall, every read waits and is answered', async () => {
  /** @type {Promise<number>[]} */
  let reads = [];
  const paths = [
    '/products?after=3&count=300',
    '/products?page=2&count=301',
    '/products?page=3',
    `/products/${idOf(890)}`,
  ];
  await whileBothHang(async () => {
    reads = paths.map(async (path) => (await fetch(app.url + path)).status);
    await until(() => health().parts.database === 'down');
  });
  expect(await Promise.all(reads)).toEqual([200, 200, 200, 200]);
  await until(() => health().ready);
});

test('reads never fail while the primary dies and the replica is promoted', async () => {
  await until(async () => (await replica.query('SELECT 1')).rowCount === 1);
  await pair.primary.stop('immediate');
  for (let id = 910; id < 920; id += 1) expect((await product(id)).status).toBe(200);
  expect(health().ready).toBe(true);
  const promoted = async () => (await replica.query(promotion)).rows;
  // Twice: a promotion may lose its connection before the answer, and be repeated.
  expect([await promoted(), await promoted()]).toEqual([[{ promoted: true }], [{ promoted: true }]]);
  for (let id = 920; id < 930; id += 1) expect((await product(id)).status).toBe(200);
  const changed = app.nextVersion();
  await replica.query('SELECT catalog_meta.bump_version(3)');
  await changed;
  expect((await product(3)).status).toBe(200);
});

/** The postmaster's children do not stop with it. @param {number} postmaster @returns {number[]} */
function stopBackends(postmaster) {
  const pids = childrenOf(postmaster);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return pids;
}
