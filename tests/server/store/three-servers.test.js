'use strict';

const { processTree } = require('../../../scripts/lib/proc');
const { withClient } = require('../../../scripts/local/roles');
const { startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { newEra, promotion, startServers } = require('../../helpers/replica');

const PRODUCTS = 2000;

/** @type {Awaited<ReturnType<typeof startServers>>} */
let servers;
/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {string[]} servers that answered queries, since a test emptied it */
const answered = [];
let index = 0;

/** @param {Awaited<ReturnType<typeof startService>>} [worker] */
async function readNext(worker = app) {
  index += 1;
  const reply = await fetch(`${worker.url}/products/${idOf(index % PRODUCTS)}`);
  return { status: reply.status, name: (await reply.json()).name };
}
const nameOf = (/** @type {number} */ place) => `${servers.replicas[place].socketDir}:5432`;
/** As superuser on a replica. @param {number} place @param {string} sql */
const on = (place, sql) =>
  withClient(servers.replicas[place].at(catalog.superuserDsn), async (client) => (await client.query(sql)).rows);

/** @param {number} pid of a server @param {'SIGSTOP' | 'SIGCONT'} signal */
const signalAll = (pid, signal) => processTree(pid).forEach((each) => process.kill(each, signal));

beforeAll(async () => {
  servers = await startServers(2);
  catalog = await createCatalog(manyProducts(PRODUCTS), servers.primary);
  await until(async () =>
    (await Promise.all([0, 1].map((place) => on(place, 'SELECT 1').then(Boolean, () => false)))).every(Boolean),
  );
  const timeouts = { PG_QUERY_TIMEOUT_MS: 1500, PG_STATEMENT_TIMEOUT_MS: 1400, PG_LOCK_TIMEOUT_MS: 1300 };
  app = await startService({ DATABASE_URL: servers.all(catalog.dsn), VERSION_POLL_MS: 50, ...timeouts });
  app.service.events.on('queried', (...[, , , , server]) => void answered.push(server));
}, 120_000);
afterAll(async () => {
  await app?.close();
  await catalog?.client.end().catch(() => {});
  await servers?.stop();
});

/** @param {string} server */
async function readsComeFrom(server) {
  await until(async () => {
    answered.length = 0;
    expect(await readNext()).toMatchObject({ status: 200 });
    return answered.length === 1 && answered[0] === server;
  });
}

test('reads come from the first server of the URL, and /readyz names all', async () => {
  await readsComeFrom(nameOf(0));
  /** @type {Record<string, string>} */
  let states = {};
  // Until the first answer of a server, it is away.
  await until(async () => {
    states = (await (await fetch(`${app.adminUrl}/readyz`)).json()).servers;
    return !Object.values(states).includes('away');
  });
  expect(Object.keys(states)).toEqual([nameOf(0), nameOf(1), expect.stringMatching(/:5432$/)]);
  expect(Object.values(states)).toEqual([expect.stringMatching(/^replica, /), expect.stringMatching(/^replica, /), 'primary']); // prettier-ignore
});

test('no read fails while the first server hangs, and it answers again afterwards', async () => {
  const [{ pid }] = servers.replicas;
  signalAll(pid, 'SIGSTOP');
  try {
    await until(async () => {
      expect(await readNext()).toMatchObject({ status: 200 });
      return app.counts.databaseRefused > 0; // its first connections were given up
    });
    await readsComeFrom(nameOf(1));
  } finally {
    signalAll(pid, 'SIGCONT');
  }
  await readsComeFrom(nameOf(0));
}, 60_000);

test('a fork is not read, though its load and its clock are ahead', async () => {
  await on(1, "ALTER SYSTEM SET primary_conninfo = ''");
  await on(1, 'SELECT pg_reload_conf()');
  await until(async () => (await on(1, 'SELECT FROM pg_stat_wal_receiver')).length === 0);
  const lost = app.nextVersion();
  await catalog.swap(manyProducts(PRODUCTS).replaceAll('Product', 'Lost'), 2);
  await catalog.client.query(
    "UPDATE catalog_meta.data_version SET changed_at = changed_at + interval '1 hour', version = version + 1",
  );
  await lost;
  await until(async () => (await on(0, 'SELECT FROM catalog_meta.data_version WHERE version > 2')).length === 1);
  await until(async () => (await readNext()).name?.startsWith('Lost'));

  signalAll(servers.primary.pid, 'SIGSTOP'); // its power is cut
  await on(1, promotion);
  await on(1, newEra);
  await until(async () => (await readNext()).name?.startsWith('Product'));
  for (let reads = 0; reads < 30; reads += 1)
    expect(await readNext()).toEqual({ status: 200, name: expect.stringMatching(/^Product/) });
  expect(app.service.health().parts.servers).toMatchObject({ [nameOf(1)]: 'primary' });
}, 60_000);

test('the old primary is not read when it comes back, by old workers and by new ones', async () => {
  const late = await startService({ DATABASE_URL: servers.all(catalog.dsn), VERSION_POLL_MS: 50 });
  try {
    await until(() => late.service.health().ready);
    signalAll(servers.primary.pid, 'SIGCONT');
    const isBack = (/** @type {typeof app} */ worker) =>
      Object.values(worker.service.health().parts.servers ?? {}).filter((state) => state === 'primary').length === 2;
    for (const worker of [app, late]) {
      await until(() => isBack(worker));
      for (let reads = 0; reads < 20; reads += 1)
        expect(await readNext(worker)).toEqual({ status: 200, name: expect.stringMatching(/^Product/) });
    }
  } finally {
    await late.close();
  }
}, 60_000);
