'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');

const { binaries } = require('../../../scripts/lib/runtime');
const { environment } = require('../../../scripts/lib/environment');
const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { startService, until } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/database');
const { redisUrl } = require('../../helpers/servers');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');

/*
 * The database comes back as it was, by other means than catalog-restore, and then takes other writes under the numbers of those that are
 * lost. Caches have replies of the lost ones.
 */

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'restored-'));
const prefix = `${process.pid}-restored:`;
const saved = path.join(dir, 'saved');
/** @type {import('../../../scripts/local/postgres').Postgres} */
let postgres;
/** @type {Awaited<ReturnType<typeof startWriter>>} */
let writer;
/** Workers that were running then: one follows the log, one does not notice commits. @type {Awaited<ReturnType<typeof startService>>[]} */
let workers = [];
/** @type {ReturnType<typeof callerOf>} */
let call;
let pgdata = '';

const start = async () => {
  postgres = await startPostgres({ dir: path.join(dir, 'state'), settings: { shared_buffers: '32MB' } });
};
/** @param {Record<string, string | number>} own */
const startWorker = (own) => startService({ DATABASE_URL: postgres.dsn('api'), ...own });
const cached = { REDIS_URL: redisUrl(), REDIS_KEY_PREFIX: prefix };

beforeAll(async () => {
  await start();
  pgdata = path.join(dir, 'state/pgdata');
  const catalog = await createCatalog(undefined, postgres);
  const key = await prepareWrites(catalog, { scopes: ['content', 'stock', 'changes'] });
  await catalog.client.end();
  writer = await startWriter(postgres.dsn('writer'));
  call = callerOf(writer.url, key);
  workers = [
    await startWorker(cached),
    await startWorker({ ...cached, PG_POOLED: 'true', VERSION_POLL_MS: 3_600_000 }),
  ];
}, 60_000);
afterAll(async () => {
  await Promise.all([writer, ...workers].map((each) => each?.close()));
  await postgres?.stop('immediate');
  fs.rmSync(dir, { recursive: true, force: true });
}, 60_000);

/** Writes five times; answers the last cursor. @param {string} text @param {number[]} ids */
async function write(text, ids) {
  let cursor = '';
  for (const id of ids) {
    const { status, headers } = await call('PATCH', `/products/${id}`, { name: `${text} ${id}`, category: text });
    expect(status).toBe(200);
    cursor = String(headers.get('catalog-cursor'));
  }
  const stock = { set: [[39, text.length]], compare: 'none' };
  const { headers } = await call('POST', '/stock', stock, { 'Idempotency-Key': text });
  return headers.get('catalog-cursor') ?? cursor;
}

const PATHS = [
  ...[1, 2, 4, 5, 7].flatMap((id) => ['', '/styles', '/related'].map((rest) => `/products/${id}${rest}`)),
  '/products?count=5',
  '/products?ids=1,4,7',
  '/products/1?include=offer,styles',
  '/products?include=styles',
  '/products?after=2&count=2',
];

/** @param {string} url @param {Record<string, string>} [headers] @returns {Promise<Record<string, string>>} */
async function replies(url, headers = {}) {
  const found = /** @type {Record<string, string>} */ ({});
  for (const each of PATHS) {
    const response = await fetch(`${url}${each}`, { headers });
    found[each] = `${response.status} ${await response.text()}`;
  }
  return found;
}

/** A new worker replies with what the database has. */
async function truth() {
  const fresh = await startWorker({});
  const found = await replies(fresh.url);
  await fresh.close();
  return found;
}

/** Awaits that the writer and the worker that follows the log are connected again. */
const connected = () => until(() => writer.writer.health().ready && workers[0].service.health().ready);

/** Writes what will be lost, until caches have it. */
async function writeLost() {
  const cursor = await write('lost', [4, 5, 7, 1]);
  for (const worker of [workers[1], workers[0]]) for (let time = 0; time < 3; time += 1) await replies(worker.url);
  const minimal = await replies(workers[0].url, { 'Catalog-Min-Cursor': cursor });
  expect(minimal).toEqual(await truth());
}

/** @param {string} text of the writes that come after it */
async function expectOnlyTruth(text) {
  await connected();
  const cursors = [];
  for (const ids of [[], [7, 5, 2, 4]]) {
    if (ids.length > 0) cursors.push(await write(text, ids));
    const headers = /** @type {Record<string, string>} */ (cursors[0] ? { 'Catalog-Min-Cursor': cursors[0] } : {});
    const expected = await truth();
    expect(Object.values(expected).join('')).not.toContain('lost');
    await until(async () => isDeepStrictEqual(await replies(workers[0].url, headers), expected)).catch(() => {});
    expect([text, ids, await replies(workers[0].url, headers)]).toEqual([text, ids, expected]);
    const restarted = await startWorker(cached);
    try {
      expect([text, ids, await replies(restarted.url)]).toEqual([text, ids, expected]);
    } finally {
      await restarted.close();
    }
  }
}

test('replies are of the database after a snapshot of its disk is put back', async () => {
  await write('common', [4, 1]);
  await replies(workers[0].url);
  await postgres.stop('immediate');
  fs.cpSync(pgdata, saved, { recursive: true });
  await start();
  await connected();
  await writeLost();
  await postgres.stop();
  fs.rmSync(pgdata, { recursive: true });
  fs.renameSync(saved, pgdata);
  await start();
  await expectOnlyTruth('snapshot');
}, 120_000);

/** @param {string} name @param {string[]} words */
const run = (name, ...words) =>
  execFileSync(path.join(binaries().postgresBin, name), words, { env: environment('server', {}), stdio: 'pipe' });

const EMPTY = `DO $$ DECLARE each record; BEGIN SET LOCAL session_replication_role = replica;
  FOR each IN SELECT oid::regclass AS name FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'catalog%'
  LOOP EXECUTE 'DELETE FROM ' || each.name; END LOOP; END $$`;

test.each([
  [
    'a dump that is restored into a new database',
    'postgres',
    ['DROP DATABASE catalog WITH (FORCE)', 'CREATE DATABASE catalog TEMPLATE template0'],
    [],
  ],
  ['a dump that is restored over the database', 'postgres', [], ['--clean', '--if-exists']],
  ['rows of a dump that are restored into its tables', 'catalog', [EMPTY], ['--data-only', '--disable-triggers', '-1']],
])(
  'replies are of the database after %s',
  async (text, database, statements, options) => {
    const file = path.join(dir, 'dump');
    run('pg_dump', '--format=custom', '--file', file, postgres.superuserDsn('catalog'));
    await writeLost();
    const cursor = (await call('GET', '/changes?after=head')).body.next;
    await withClient(postgres.superuserDsn(database), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    run('pg_restore', ...options, '--dbname', postgres.superuserDsn('catalog'), file);
    await expectOnlyTruth(text);
    expect((await call('GET', `/changes?after=${cursor}`)).status).toBe(410);
  },
  120_000,
);

test('replies are of the database after a copy of it takes its name', async () => {
  const sql = (/** @type {string[]} */ ...statements) =>
    withClient(postgres.superuserDsn('postgres'), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  await sql(
    'ALTER DATABASE catalog ALLOW_CONNECTIONS false', // PostgreSQL copies no database that has clients
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'catalog'",
    'CREATE DATABASE saved TEMPLATE catalog',
    'ALTER DATABASE catalog ALLOW_CONNECTIONS true',
  );
  await connected();
  await writeLost();
  await sql('DROP DATABASE catalog WITH (FORCE)', 'ALTER DATABASE saved RENAME TO catalog');
  await expectOnlyTruth('copy');
}, 120_000);
