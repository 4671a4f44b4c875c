'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { Client } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { SESSION } = require('../../../server/store/connection-options');
const queries = require('../../../server/store/queries');
const { createCatalog } = require('../../helpers/database');

const INSUFFICIENT_PRIVILEGE = '42501';
const READ_ONLY_TRANSACTION = '25006';

/** A stranger inside the API's session might try these, with the read-only default switched off first. */
const FORBIDDEN = [
  'INSERT INTO catalog.product_documents (id) VALUES (9)',
  "UPDATE catalog.styles_documents SET body = ''",
  'DELETE FROM catalog.page_blocks',
  'TRUNCATE catalog.product_documents',
  'DROP SCHEMA catalog CASCADE',
  'CREATE TABLE catalog.mine (id int)',
  'CREATE TABLE public.mine (id int)',
  'CREATE TEMPORARY TABLE mine (id int)',
  'CREATE SCHEMA mine',
  'CREATE ROLE mine',
  'SET ROLE catalog_owner',
  'SELECT * FROM catalog.products',
  'SELECT * FROM catalog_meta.loads',
  'SELECT * FROM catalog_meta.rejects',
  'SELECT * FROM catalog_meta.repairs',
  'SELECT * FROM catalog_meta.api_keys',
  'SELECT * FROM catalog_meta.hooks',
  'SELECT * FROM catalog_meta.hook_secrets',
  'SELECT * FROM catalog_log.revisions',
  'SELECT catalog_meta.bump_version(1)',
  "SELECT pg_read_file('/etc/passwd')",
  "COPY catalog.product_documents TO PROGRAM 'cat'",
  "COPY catalog.product_documents TO '/tmp/mine'",
  "SELECT lo_import('/etc/passwd')",
  'SELECT rolpassword FROM pg_authid',
];

describe('the role of the API', () => {
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Client} */
  let api;
  beforeAll(async () => {
    catalog = await createCatalog();
    api = new Client({ connectionString: catalog.dsn });
    await api.connect();
  });
  afterAll(async () => {
    await api?.end();
    await catalog?.drop();
  });

  test('may read the served tables', async () => {
    for (const table of ['product_documents', 'styles_documents', 'cards', 'page_blocks']) {
      const { rowCount } = await api.query(`SELECT FROM catalog.${table} LIMIT 1`);
      expect([table, rowCount]).toEqual([table, 1]);
    }
    const { rows } = await api.query('SELECT version FROM catalog_meta.data_version');
    expect(rows).toEqual([{ version: '1' }]);
  });

  test('has the limits and settings of a worker, and keeps those that an operator set', async () => {
    const { PG_LOCK_TIMEOUT_MS, PG_BULK_STATEMENT_TIMEOUT_MS } = loadConfig({ DATABASE_URL: catalog.dsn });
    const { rows } = await api.query(
      "SELECT setting::int AS ms FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout') ORDER BY name",
    );
    expect(rows).toEqual([{ ms: PG_LOCK_TIMEOUT_MS }, { ms: PG_BULK_STATEMENT_TIMEOUT_MS }]);
    for (const [setting, value] of Object.entries(SESSION))
      expect((await api.query('SELECT current_setting($1)', [setting])).rows).toEqual([{ current_setting: value }]);
    const roles = readFileSync(join(__dirname, '../../../db/roles.sql'), 'utf8');
    await catalog.client.query(`BEGIN; ALTER ROLE catalog_api SET statement_timeout = '20s'; ${roles}`);
    const kept = await catalog.client.query(
      "SELECT setconfig FROM pg_db_role_setting WHERE setrole = 'catalog_api'::regrole",
    );
    await catalog.client.query('ROLLBACK');
    expect(kept.rows[0].setconfig).toContain('statement_timeout=20s');
  });

  test.each(['page', 'after'])('plans a list (%s) once, not for each page', async (name) => {
    const { text } = queries[/** @type {'page' | 'after'} */ (name)];
    const values = name === 'page' ? '1, 0, 5' : '1, 5';
    await api.query(`PREPARE list AS ${text}`);
    for (let time = 0; time < 9; time += 1) await api.query(`EXECUTE list (${values})`);
    const { rows } = await api.query(
      "SELECT generic_plans::int, custom_plans::int FROM pg_prepared_statements WHERE name = 'list'",
    );
    await api.query('DEALLOCATE list');
    expect(rows).toEqual([{ generic_plans: 9, custom_plans: 0 }]);
  });

  test('does not write by default', async () => {
    await expect(api.query('CREATE TEMPORARY TABLE mine (id int)')).rejects.toMatchObject({
      code: READ_ONLY_TRANSACTION,
    });
  });

  test.each(FORBIDDEN)('may not %s, even in a session that may write', async (statement) => {
    await api.query('SET default_transaction_read_only = off');
    await expect(api.query(statement)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });
});
