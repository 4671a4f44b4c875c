'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { text } = require('node:stream/consumers');

const { runLoader } = require('../../../scripts/lib/commands');
const { environment } = require('../../../scripts/lib/environment');
const { root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { callerOf, serveWriter, startWriter } = require('../../helpers/writer');

const served = serveWriter();
/** The last migration of 011: what the writer stores with an Idempotency-Key. */
const LAST = `DROP TABLE catalog_log.requests; DROP FUNCTION catalog_log.request_digest;
  CREATE TABLE catalog_log.requests (key_id text, key text, at timestamptz, fingerprint bytea, status int, headers jsonb, body text);
  ALTER TABLE catalog_log.requests OWNER TO catalog_owner; CREATE INDEX requests_by_time ON catalog_log.requests (at);
  DELETE FROM catalog_meta.migrations WHERE name = '011_small_requests.sql'`;
const DETAIL =
  'The database is of an earlier release, and lacks 011_small_requests.sql. ' +
  'Run prepare: npm run etl -- prepare; on a node, catalog-etl prepare. Retry after 1 s.';

/** @returns {Promise<[number | null, string]>} exit status and what it says */
async function prepare() {
  const [command, ...words] = runLoader('prepare');
  const env = environment('loader', { LOADER_DATABASE_URL: served.catalog.loaderDsn });
  const running = spawn(command, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, [status]] = await Promise.all([text(/** @type {any} */ (running.stderr)), once(running, 'close')]);
  return [status, said];
}

/** @param {string} adminUrl */
async function health(adminUrl) {
  const response = await fetch(`${adminUrl}/readyz`);
  return [response.status, (await response.json()).database];
}

let number = 0;
/** @param {ReturnType<typeof callerOf>} call */
async function write(call) {
  number += 1;
  const key = { 'Idempotency-Key': `key-${number}` };
  const { status, body } = await call('PATCH', '/products/1', { slogan: `slogan ${number}` }, key);
  return [status, body.detail];
}

/** @param {string} adminUrl @param {ReturnType<typeof callerOf>} call */
async function expectRecovery(adminUrl, call) {
  expect(await prepare()).toEqual([0, expect.anything()]);
  expect(await waitUntil(async () => (await health(adminUrl))[0] === 200, 20_000)).toBe(true);
  expect(await write(call)).toEqual([200, undefined]);
}

test('a writer without a migration is not ready, and recovers after prepare', async () => {
  await served.catalog.client.query(LAST);
  const { url, adminUrl, close } = await startWriter(served.catalog.writerDsn, { READY_WAIT_MS: 0 });
  const call = callerOf(url, served.key);
  try {
    await waitUntil(async () => (await health(adminUrl))[1] !== 'down', 20_000);
    expect(await health(adminUrl)).toEqual([503, 'outdated: run prepare']);
    expect(await write(call)).toEqual([503, DETAIL]);
    expect((await call('GET', '/products/1')).status).toBe(200);
    await expectRecovery(adminUrl, call);
  } finally {
    await close();
  }
});

test('a writer whose database loses a migration says so at the first write that needs it', async () => {
  const { call, app } = served;
  expect(await health(app.adminUrl)).toEqual([200, 'up']);
  await served.catalog.client.query(LAST);
  expect(await write(call)).toEqual([503, DETAIL]);
  expect(await health(app.adminUrl)).toEqual([503, 'outdated: run prepare']);
  await expectRecovery(app.adminUrl, call);
});

test('a list of migrations that the writer may not read counts as none', async () => {
  await served.catalog.client.query('REVOKE SELECT ON catalog_meta.migrations FROM catalog_writer');
  const { url, adminUrl, close } = await startWriter(served.catalog.writerDsn, { READY_WAIT_MS: 0 });
  const call = callerOf(url, served.key);
  try {
    await waitUntil(async () => (await health(adminUrl))[1] !== 'down', 20_000);
    expect(await write(call)).toEqual([503, expect.stringMatching(/lacks \d+ migrations\. Run prepare/)]);
    await expectRecovery(adminUrl, call);
  } finally {
    await close();
  }
});
