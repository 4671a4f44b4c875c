'use strict';

const { Client: PgClient } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { Client } = require('../../../server/internals/pg/client');
const { SESSION, connectionOptions } = require('../../../server/store/connection-options');
const { startService, until } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/database');
const { request } = require('../../helpers/http');
const { startPair } = require('../../helpers/replica');

/** Set in addition to another value of each boolean and enum; an older server does not know all of them. */
const hostile = {
  DateStyle: "'SQL, DMY'",
  TimeZone: "'Asia/Kolkata'",
  client_min_messages: "'debug1'",
  default_transaction_isolation: "'serializable'",
  extra_float_digits: '-15',
  idle_in_transaction_session_timeout: '1',
  idle_session_timeout: '1',
  lock_timeout: '1',
  search_path: 'shadow, pg_catalog',
  statement_timeout: '1',
  transaction_timeout: "'5s'",
  work_mem: "'64kB'",
};
/** Settings of one transaction, or of the whole server only. */
const notTried = ['transaction_deferrable', 'transaction_isolation', 'transaction_read_only', 'log_statement_stats'];
/** Functions that could replace PostgreSQL's own. */
const shadow = `CREATE SCHEMA shadow;
  CREATE FUNCTION shadow.string_agg(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''shadow''';
  CREATE FUNCTION shadow.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT NULL::bool';
  GRANT USAGE ON SCHEMA shadow TO PUBLIC`;
const paths = [
  '/products?count=5',
  '/products?page=2&count=2',
  '/products?after=2&count=300',
  '/products?count=300',
  ...['', '/styles', '/related'].map((tail) => `/products/1${tail}`),
];

/** @type {Awaited<ReturnType<typeof startPair>>} */
let pair;
/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
/** @type {PgClient} superuser on the replica, connected before any setting */
let replica;
beforeAll(async () => {
  pair = await startPair();
  catalog = await createCatalog(undefined, pair.primary);
  await catalog.client.query(shadow);
  replica = new PgClient({ connectionString: pair.replica.at(catalog.superuserDsn) });
  const connected = () =>
    replica.connect().then(
      () => true,
      () => false,
    );
  expect(await connected()).toBe(true);
}, 60_000);
afterAll(async () => {
  await replica?.end();
  await catalog?.client.end();
  await pair?.stop();
});

/** @param {string} scope of ALTER */
async function makeHostile(scope) {
  const { rows } = await catalog.client.query(
    `SELECT name, quote_literal(min(word)) AS value
     FROM pg_settings, unnest(coalesce(enumvals, '{on,off}')) AS word
     WHERE context IN ('user', 'superuser') AND vartype IN ('bool', 'enum') AND word <> setting AND name <> ALL ($1)
     GROUP BY name`,
    [[...Object.keys(hostile), ...notTried]],
  );
  expect(rows.length).toBeGreaterThan(80);
  for (const { name, value } of [...rows, ...Object.entries(hostile).map(([name, value]) => ({ name, value }))])
    await catalog.client.query(`ALTER ${scope} SET ${name} = ${value}`).catch((error) => {
      if (error.code !== '42704') throw error; // of another version
    });
  await replayed();
}

/** Waits until the replica has what the primary has. */
async function replayed() {
  const { rows } = await catalog.client.query('SELECT pg_current_wal_insert_lsn() AS lsn');
  await until(async () => {
    const { rows: seen } = await replica.query('SELECT pg_last_wal_replay_lsn() >= $1 AS done', [rows[0].lsn]);
    return seen[0].done;
  });
}

/** @param {import('../../helpers/app').Settings} settings */
async function replies(settings) {
  const app = await startService({ READY_WAIT_MS: 2000, VERSION_POLL_MS: 50, ...settings });
  try {
    const all = [];
    for (const path of paths) {
      const { status, headers, body } = await request(app.url, { path });
      all.push([path, status, headers.etag, headers.link, body]);
    }
    const { databaseLost, databaseRefused, versionUnread } = app.counts;
    return { all, ready: app.service.health().ready, troubles: [databaseLost, databaseRefused, versionUnread] };
  } finally {
    await app.close();
  }
}

const onReplica = () => pair.replica.at(catalog.dsn);
const servers = {
  'the primary': () => ({ DATABASE_URL: catalog.dsn }),
  'a replica': () => ({ DATABASE_URL: onReplica() }),
  both: () => ({ DATABASE_URL: pair.all(catalog.dsn) }),
};

describe.each(['DATABASE catalog', 'ROLE catalog_api', 'ROLE catalog_api IN DATABASE catalog'])(
  'hostile settings of %s',
  (scope) => {
    /** @type {any[]} */
    let before;
    beforeAll(async () => {
      await replayed();
      before = (await replies(servers['the primary']())).all;
      await makeHostile(scope);
    });
    afterAll(async () => {
      await catalog.client.query(`ALTER ${scope} RESET ALL`);
    });

    test.each(/** @type {(keyof typeof servers)[]} */ (Object.keys(servers)))(
      'change no byte that a worker of %s serves, and break no connection',
      async (name) => {
        expect(before.map(([, status]) => status)).toEqual(paths.map(() => 200));
        expect(await replies(servers[name]())).toEqual({
          all: before,
          ready: true,
          troubles: [undefined, undefined, undefined],
        });
      },
    );

    test.each(['', '&options=-c%20jit%3Don%20-c%20work_mem%3D1MB'])(
      'are overridden on connections of a worker whose URL ends with "%s"',
      async (own) => {
        const config = loadConfig({ DATABASE_URL: `${catalog.dsn}${own}` });
        const client = new Client(connectionOptions(config, 'short'));
        await client.connect();
        const { rows } = await client.query('SELECT name, setting FROM pg_settings');
        await client.end();
        const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
        expect(settings).toMatchObject(SESSION);
        expect([undefined, '0']).toContain(settings.transaction_timeout);
        expect(settings.work_mem).toBe(own ? '1024' : '64');
        expect(settings.statement_timeout).toBe(String(config.PG_STATEMENT_TIMEOUT_MS));
      },
    );
  },
);
