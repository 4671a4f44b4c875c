'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { startPostgres } = require('../../scripts/local/postgres');
const { withClient } = require('../../scripts/local/roles');
const { binaries, root } = require('../../scripts/lib/runtime');
const { describeState, secretsOf } = require('../../scripts/local/state');
const { read } = require('../docs/sources');

const throwAway = { fsync: 'off', shared_buffers: '32MB', autovacuum: 'off' };

/** The owner has these tables, as those of a load. @param {string} schema @param {string} name of its one product */
const tables = (schema, name) =>
  `SET ROLE catalog_owner; CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.products AS SELECT 1 AS id, '${name}' AS name, now() AS made;`;

/** Gives each test of a file a new, small database `catalog` on a separate PostgreSQL, and the backup scripts for it. */
function useBackups() {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'backups-'));
  const backups = path.join(base, 'backups');
  const bin = path.join(base, 'bin');
  /** @type {import('../../scripts/local/postgres').Postgres} */
  let server;
  /** @type {NodeJS.ProcessEnv} as libpq reads it */
  let env;

  /** @param {string} database @param {string} sql @returns {Promise<any[]>} */
  const ask = (database, sql) =>
    withClient(server.superuserDsn(database), async (client) => (await client.query(sql)).rows);

  beforeAll(async () => {
    for (const folder of [backups, bin]) fs.mkdirSync(folder);
    const state = path.join(base, 'state');
    server = await startPostgres({ dir: state, settings: throwAway });
    env = {
      PATH: `${bin}:${binaries().postgresBin}:${process.env.PATH}`,
      PGHOST: server.socketDir,
      PGUSER: 'postgres',
      PGPASSWORD: secretsOf(describeState(state), []).postgresPassword,
    };
  });
  afterAll(async () => {
    await server?.stop('immediate');
    fs.rmSync(base, { recursive: true, force: true });
  });
  beforeEach(async () => {
    for (const name of ['catalog', 'catalog_replaced', 'catalog_restored'])
      await ask('postgres', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await ask('postgres', 'CREATE DATABASE catalog');
    // The first release has but one migration.
    const migrated = `${read('db/migrated.sql')} INSERT INTO catalog_meta.migrations (name) VALUES ('001_catalog_meta.sql');`;
    await ask('catalog', read('db/roles.sql'));
    await ask(
      'catalog',
      `SET ROLE catalog_owner; ${migrated} ${read('db/migrations/001_catalog_meta.sql')} ${tables('catalog', 'first')}`,
    );
    fs.rmSync(path.join(bin, 'pg_dump'), { force: true });
  });

  /** @param {string} script @param {string[]} words @param {NodeJS.ProcessEnv} [more] */
  const run = (script, words, more) => runAny([path.join(root, 'scripts/fleet/backup', script), ...words], more);
  /** @param {string[]} command @param {NodeJS.ProcessEnv} [more] @param {string} [cwd] */
  function runAny([program, ...words], more, cwd = root) {
    const { status, stdout, stderr } = spawnSync(program, words, {
      cwd,
      env: { ...env, ...more },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { status, output: `${stdout}${stderr}`.trim() };
  }
  const kept = () => fs.readdirSync(backups).filter((name) => /^2.*Z$/.test(name));

  return {
    ask,
    /** @param {NodeJS.ProcessEnv} [more] */
    backup: (more) => run('backup.sh', [backups], more),
    backups,
    base,
    bin,
    kept,
    /** @returns {string} the newest backup */
    made: () => path.join(backups, kept().sort().at(-1) ?? 'none'),
    /** @param {string} [database] @returns {Promise<string>} the name of its product */
    product: async (database = 'catalog') => (await ask(database, 'SELECT name FROM catalog.products'))[0].name,
    /** @param {string} what @param {NodeJS.ProcessEnv} [more] */
    restore: (what, more) => run('restore.sh', [what], more),
    run,
    runAny,
    socketDir: () => server.socketDir,
    /** @param {string} database */
    superuserDsn: (database) => server.superuserDsn(database),
  };
}

module.exports = { tables, useBackups };
