'use strict';

const crypto = require('node:crypto');
const { globSync, readFileSync } = require('node:fs');
const { basename, join } = require('node:path');

const { loadWriterConfig } = require('../../server/config/config');
const { createWriter } = require('../../server/writer/service');
const { patient } = require('./app');
const { createCatalog } = require('./database');

const DB = join(__dirname, '../../db');

/** @typedef {import('./database').TestCatalog} TestCatalog */
/** @typedef {{ status: number, headers: Headers, body: any }} Answer */

/**
 * Prepares a catalog of `createCatalog` for a writer: the row of its load, indexes, and a key.
 * @param {Pick<TestCatalog, 'client'>} catalog @param {{ name?: string, scopes?: string[] }} [own]
 * @returns {Promise<string>} the key
 */
async function prepareWrites({ client }, { name = 'pim', scopes = ['content', 'history'] } = {}) {
  await client.query(`INSERT INTO catalog_meta.loads (id, state, fingerprint, directory, campus) OVERRIDING SYSTEM VALUE
    VALUES (1, 'live', '', '', 'hr-lax') ON CONFLICT DO NOTHING`);
  const indexes = readFileSync(join(DB, 'write_indexes.sql'), 'utf8').replaceAll('{schema}', 'catalog');
  await client.query(indexes.replaceAll('CONCURRENTLY', 'IF NOT EXISTS'));
  const [id, secret] = [crypto.randomBytes(6).toString('hex'), crypto.randomBytes(24).toString('base64url')];
  await client.query('INSERT INTO catalog_meta.api_keys (id, name, secret_hash, scopes) VALUES ($1, $2, $3, $4)', [
    id,
    name,
    crypto.createHash('sha256').update(secret).digest(),
    scopes,
  ]);
  return `ck_${id}_${secret}`;
}

/** Checks of what is served that do not count the rows of files. They compare samples of 200 products, or all of fewer. */
const CHECKS = /^(04|06|07|08|09|11|19)_/;

/** @type {Record<string, string>} */
const FILLED_IN = {
  schema: 'catalog',
  campus: "'hr-lax'",
  load_id: '1',
  wanted: 'IN (SELECT id FROM sampled)',
  stale: '0',
};

/** @param {string} text SQL that names files of db/documents @returns {string} */
const filled = (text) =>
  text.replace(
    /\{(\w+)\}/g,
    (_, name) => FILLED_IN[name] ?? filled(readFileSync(join(DB, 'documents', `${name}.sql`), 'utf8')),
  );

/** @param {import('pg').Client} client @returns {Promise<string[]>} the checks of db/checks that find a defect */
async function failedChecks(client) {
  const failed = [];
  for (const file of globSync(join(DB, 'checks/*.sql')).sort()) {
    if (!CHECKS.test(basename(file))) continue;
    const { rows } = await client.query(filled(readFileSync(file, 'utf8')));
    const [count] = Object.values(rows[0]);
    if (Number(count) !== 0) failed.push(`${basename(file)}: ${count}`);
  }
  return failed;
}

/** @param {string} url @param {string} key */
const callerOf =
  (url, key) =>
  /**
   * @param {string} method @param {string} path @param {unknown} [body] text is sent as it is @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async (method, path, body, headers = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body !== undefined && { 'Content-Type': type }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };

/** @param {string} dsn of catalog_writer @param {Record<string, string | number>} [settings] */
async function startWriter(dsn, settings = {}) {
  const text = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  const writer = createWriter(
    loadWriterConfig({
      WRITE_PORT: '0',
      WRITE_ADMIN_PORT: '0',
      WRITE_DATABASE_URL: dsn,
      LOG_LEVEL: 'silent',
      DRAIN_GRACE_MS: '0',
      DRAIN_DEADLINE_MS: '5000',
      ...patient,
      ...Object.fromEntries(text),
    }),
  );
  await writer.open();
  const [url, adminUrl] = [writer.ports.http, writer.ports.admin].map((port) => `http://127.0.0.1:${port}`);
  return { writer, url, adminUrl, close: () => writer.close('test') };
}

/**
 * Serves a writer to the tests of a `describe`; what it returns is filled in before the first of them.
 * @param {Parameters<typeof createCatalog>[0]} [rows] @param {Record<string, string | number>} [settings]
 */
function serveWriter(rows, settings) {
  const served =
    /** @type {{ catalog: TestCatalog, app: Awaited<ReturnType<typeof startWriter>>, key: string, call: ReturnType<typeof callerOf> }} */ ({});
  beforeAll(async () => {
    const catalog = await createCatalog(rows);
    Object.assign(served, { catalog });
    const key = await prepareWrites(catalog);
    const app = await startWriter(catalog.writerDsn, settings);
    Object.assign(served, { key, app, call: callerOf(app.url, key) });
  });
  afterAll(async () => {
    await served.app?.close();
    await served.catalog?.drop();
  });
  return served;
}

/** Each test must leave product 1 as it is, and commit nothing. @param {ReturnType<typeof serveWriter>} served */
function expectNothingWritten(served) {
  /** @type {any} */
  let before;
  beforeAll(async () => {
    before = (await served.call('GET', '/products/1')).body;
  });
  afterEach(async () => {
    expect((await served.call('GET', '/products/1')).body).toEqual(before);
    const { rows } = await served.catalog.client.query('SELECT count(*)::int AS commits FROM catalog_log.commits');
    expect(rows).toEqual([{ commits: 0 }]);
  });
}

module.exports = { callerOf, expectNothingWritten, failedChecks, prepareWrites, serveWriter, startWriter };
