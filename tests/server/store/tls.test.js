'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { runLoader } = require('../../../scripts/lib/commands');
const { runOrThrow } = require('../../../scripts/lib/run');
const { withClient } = require('../../../scripts/local/roles');
const { startService, until } = require('../../helpers/app');
const { createCatalog, manyProducts } = require('../../helpers/database');
const { overTcp, redisUrl, socketDirOf } = require('../../helpers/servers');
const { createAuthority, endTls } = require('../../helpers/tls');
const { startReadyWorker } = require('../../helpers/worker');
const { prepareWrites, startWriter } = require('../../helpers/writer');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tls-'));
/** @type {ReturnType<typeof createAuthority>} */
let authority;
/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
/** @type {Awaited<ReturnType<typeof endTls>>[]} before PostgreSQL, also with a certificate of another name, and before Redis */
let [postgres, second, misnamed, redis] = /** @type {Awaited<ReturnType<typeof endTls>>[]} */ ([]);

beforeAll(async () => {
  authority = createAuthority(dir);
  catalog = await createCatalog(manyProducts(20));
  await prepareWrites(catalog);
  const socket = path.join(socketDirOf(catalog.dsn), '.s.PGSQL.5432');
  const server = authority.issue('DNS:localhost,IP:127.0.0.1');
  postgres = await endTls(socket, server, { asked: true });
  second = await endTls(socket, server, { asked: true });
  misnamed = await endTls(socket, authority.issue('DNS:db-1'), { asked: true });
  redis = await endTls(new URL(redisUrl()).pathname, server, { asked: false });
});
afterAll(async () => {
  for (const each of [postgres, second, misnamed, redis]) each?.close();
  await catalog?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @param {string} dsn @param {string} host @param {string} parameters @param {number} [port] */
const byTls = (dsn, host, parameters, port = postgres.port) =>
  `${overTcp(dsn, port).replace('@127.0.0.1:', `@${host}:`).replace(/\?.*/, '')}?${parameters}`;
const verified = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(path.join(dir, 'authority.pem'))}`;

test('a worker verifies the certificate of PostgreSQL, by name and by address', async () => {
  for (const host of ['localhost', '127.0.0.1']) {
    const worker = await startReadyWorker({ DATABASE_URL: byTls(catalog.dsn, host, verified()) });
    expect((await fetch(`${worker.url}/products/2`)).status).toBe(200);
    worker.child.kill('SIGTERM');
    await worker.exited;
  }
});

test('a worker refuses an authority that it does not know, and a certificate of another name', async () => {
  for (const url of [
    byTls(catalog.dsn, '127.0.0.1', 'sslmode=verify-full'),
    byTls(catalog.dsn, '127.0.0.1', verified(), misnamed.port),
  ]) {
    const app = await startService({ DATABASE_URL: url, READY_WAIT_MS: 100 });
    const refused = new Promise((resolve) => void app.service.events.once('databaseRefused', resolve));
    expect(String(await refused)).toMatch(/certificate|altnames/);
    expect(app.service.health().ready).toBe(false);
    await app.close();
  }
});

test.each([
  [
    '"require" encrypts and trusts any certificate, as libpq does',
    () => byTls(catalog.dsn, '127.0.0.1', 'sslmode=require'),
  ],
  [
    'each of several servers is verified by its name',
    () => byTls(catalog.dsn, `127.0.0.1:${second.port},127.0.0.1`, verified()),
  ],
])('%s', async (_, url) => {
  const { rows } = await withClient(url(), (client) =>
    client.query('SELECT count(*)::int FROM catalog.product_documents'),
  );
  expect(rows).toEqual([{ count: 20 }]);
});

test('the writer and the loader take the same URL', async () => {
  const writer = await startWriter(byTls(catalog.writerDsn, '127.0.0.1', verified()));
  try {
    await until(() => writer.writer.health().ready);
  } finally {
    await writer.close();
  }
  const env = { LOADER_DATABASE_URL: byTls(catalog.superuserDsn, 'localhost', verified()) };
  await runOrThrow(runLoader('status'), env, { keepOutput: true });
});

test('a worker reads Redis by TLS, with the authorities of NODE_EXTRA_CA_CERTS', async () => {
  const settings = {
    DATABASE_URL: catalog.dsn,
    REDIS_URL: `rediss://localhost:${redis.port}`,
    REDIS_CONNECT_TIMEOUT_MS: 5000,
  };
  const isUp = async (/** @type {string} */ adminUrl) =>
    (await (await fetch(`${adminUrl}/readyz`)).json()).cache === 'up';
  const worker = await startReadyWorker({ ...settings, NODE_EXTRA_CA_CERTS: authority.file });
  await until(() => isUp(worker.adminUrl));
  worker.child.kill('SIGTERM');
  await worker.exited;
});
