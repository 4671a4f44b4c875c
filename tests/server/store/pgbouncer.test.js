'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const request = require('supertest');

const { notAsRoot } = require('../../../scripts/local/pgdata');
const { spawnDaemon, stopPid } = require('../../../scripts/lib/process');
const { listens } = require('../../../scripts/lib/probe');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { startService } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { findPrograms, librariesOf } = require('../../helpers/debian');
const { freePort, overTcp, socketDirOf } = require('../../helpers/servers');
const { unless } = require('../../helpers/skip');

const found = findPrograms(['pgbouncer', 'libc-ares2', 'libevent-2.1-7'], ['pgbouncer']);
const able = unless(!found && 'no PgBouncer here: apt-get install pgbouncer');

/**
 * PgBouncer in transaction mode, with fewer server connections than one worker has, and more than one: a statement that was
 * prepared on one is unknown on the other.
 * @param {string} dsn of the role catalog_api, over a Unix socket
 */
async function startBouncer(dsn) {
  const { pgbouncer: program } = /** @type {Record<string, string>} */ (found);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bouncer-'));
  const port = await freePort();
  const through = overTcp(dsn, port);
  const { username, password, pathname } = new URL(through);
  const database = pathname.slice(1);
  const write = (/** @type {string} */ name, /** @type {string} */ text) => {
    const file = path.join(dir, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const users = write('users.txt', `"${username}" "${password}"\n`);
  const ini = write(
    'pgbouncer.ini',
    `[databases]
${database} = host=${socketDirOf(dsn)} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
`,
  );
  const server = await spawnDaemon(notAsRoot([program, ini]), {
    log: path.join(dir, 'log'),
    env: { ...process.env, LD_LIBRARY_PATH: librariesOf(program) },
  });
  const stop = async () => {
    await stopPid(server.pid, 'SIGINT', 5000);
    fs.rmSync(dir, { recursive: true, force: true });
  };
  const isUp = await waitUntil(() => listens(`redis://127.0.0.1:${port}`), 10_000);
  if (!isUp) await stop();
  expect(isUp).toBe(true);
  return { dsn: through, stop };
}

able.describe('behind PgBouncer in transaction mode', () => {
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startBouncer>>} */
  let bouncer;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let other;
  beforeAll(async () => {
    catalog = await createCatalog(manyProducts(300));
    bouncer = await startBouncer(catalog.dsn);
    const settings = { DATABASE_URL: bouncer.dsn, PG_POOLED: 'true', VERSION_POLL_MS: 50 };
    app = await startService(settings);
    other = await startService(settings);
  });
  afterAll(async () => {
    await app?.close();
    await other?.close();
    await bouncer?.stop();
    await catalog?.drop();
  });

  test('answers many simultaneous reads, each with its own product', async () => {
    const indexes = Array.from({ length: 200 }, (_, index) => index + 1);
    const names = await Promise.all(
      indexes.map(async (index) => (await request(app.url).get(`/products/${idOf(index)}`)).body.name),
    );
    expect(names).toEqual(indexes.map((index) => `Product ${index}`));
  });

  test('two workers always read the data version on shared connections', async () => {
    const before = [app, other].map(({ counts }) => counts.queried ?? 0);
    for (let index = 201; index < 240; index += 1)
      for (const { url } of [app, other]) expect((await request(url).get(`/products/${idOf(index)}`)).status).toBe(200);
    for (const [at, { counts, service }] of [app, other].entries()) {
      expect(counts.queried).toBeGreaterThan(before[at]);
      expect([counts.versionUnread, counts.databaseLost]).toEqual([undefined, undefined]);
      expect(service.health().ready).toBe(true);
    }
  });

  test('answers lists, and notices a new version without LISTEN', async () => {
    const { body } = await request(app.url).get('/products?count=300');
    expect(body).toHaveLength(300);
    const changed = app.nextVersion();
    await catalog.swap(manyProducts(3), 2);
    await changed;
    expect((await request(app.url).get('/products?count=300')).body).toHaveLength(3);
  });

  test("the role's settings override those of the database", async () => {
    const path = '/products?page=2&count=2';
    const before = await request(app.url).get(path);
    expect(before.status).toBe(200);
    const hostile = {
      search_path: 'shadow, pg_catalog',
      default_transaction_isolation: "'serializable'",
      idle_session_timeout: '1',
      statement_timeout: '1',
    };
    await catalog.client.query(`CREATE SCHEMA shadow; GRANT USAGE ON SCHEMA shadow TO PUBLIC;
      CREATE FUNCTION shadow.string_agg(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''shadow'''`);
    const database = new URL(bouncer.dsn).pathname.slice(1);
    for (const [name, value] of Object.entries(hostile))
      await catalog.client.query(`ALTER DATABASE ${database} SET ${name} = ${value}`);
    await catalog.client.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'catalog_api' AND datname = $1",
      [database],
    );
    const pooled = await startService({ DATABASE_URL: bouncer.dsn, PG_POOLED: 'true' });
    const after = await request(pooled.url).get(path);
    await pooled.close();
    expect([after.status, after.text]).toEqual([200, before.text]);
    expect(pooled.counts.databaseLost).toBe(undefined);
  });

  test('a worker that prepares statements fails, which verifies the setting', async () => {
    const prepared = await startService({ DATABASE_URL: bouncer.dsn, READY_WAIT_MS: 500 });
    expect(prepared.service.health().ready).toBe(false);
    await prepared.close();
  });
});
