'use strict';

const { Client } = require('pg');

const { createProxy } = require('../../lab/testbed/proxy');
const { startService, until } = require('../../helpers/app');
const { overTcp, socketDirOf } = require('../../helpers/servers');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

/* Readers of writes that are cut off, and others that hold an old state: neither may change what the rest sees. */

const served = serveWriter();
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  const scopes = ['content', 'history', 'changes'];
  call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'any', scopes }));
});

/** @param {string} name @returns {Promise<string>} the cursor */
async function rename(name) {
  const reply = await call('PATCH', '/products/4', { name });
  expect(reply.status).toBe(200);
  return String(reply.headers.get('catalog-cursor'));
}
/** @param {string} after */
const changesAfter = async (after) => (await call('GET', `/changes?after=${after}`)).body.changes;

test('a worker that was cut off shows all writes on its return', async () => {
  const { dsn } = served.catalog;
  const proxy = await createProxy({ path: `${socketDirOf(dsn)}/.s.PGSQL.5432` });
  const worker = await startService({ DATABASE_URL: overTcp(dsn, proxy.port) });
  const nameOf = async (/** @type {Record<string, string>} */ headers = {}) => {
    const reply = await fetch(`${worker.url}/products/4`, { headers });
    return reply.status === 200 ? (await reply.json()).name : reply.status;
  };
  const ageSeconds = async () => {
    const text = await (await fetch(`${worker.adminUrl}/metrics`)).text();
    return Number(/^catalog_position_age_seconds (\S+)/m.exec(text)?.[1]);
  };
  try {
    // A worker that does not know of the commit yet keeps its reply under the name of the one before.
    const before = { 'Catalog-Min-Cursor': await rename('Before') };
    await until(async () => (await nameOf(before)) === 'Before');
    for (let round = 0; round < 3; round += 1) await nameOf(); // into its memory
    proxy.refuse();
    await until(() => !worker.service.health().ready);
    for (const name of ['Cut 1', 'Cut 2', 'Cut 3']) await rename(name);
    const last = await rename('Cut 4');
    const age = await ageSeconds();
    await until(async () => (await ageSeconds()) > age);
    expect(await nameOf()).toBe('Before');
    expect(await nameOf({ 'Catalog-Min-Cursor': last })).toBe(503);
    proxy.accept();
    await until(() => worker.service.health().ready);
    await until(async () => (await nameOf({ 'Catalog-Min-Cursor': last })) === 'Cut 4');
    expect(await nameOf()).toBe('Cut 4');
    await until(async () => (await ageSeconds()) < age);
  } finally {
    await worker.close();
    await proxy.close();
  }
});

test('a long transaction, as of pg_dump, holds up neither writes nor the feed nor forgetting', async () => {
  const start = await rename('Old');
  const dump = new Client({ connectionString: served.catalog.superuserDsn });
  await dump.connect();
  try {
    await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()');
    const cursors = [];
    for (const name of ['New 1', 'New 2', 'New 3']) cursors.push(await rename(name));
    const changes = await changesAfter(start);
    expect(changes.map((/** @type {any} */ { cursor }) => cursor)).toEqual(cursors.map((cursor) => `${cursor}.0`));
    const name = 'SELECT name FROM catalog.products WHERE id = 4';
    expect((await dump.query(name)).rows).toEqual([{ name: 'Old' }]);
    const { client } = served.catalog;
    await client.query("UPDATE catalog_log.commits SET at = at - interval '8 days'");
    await client.query('SELECT catalog_log.forget()');
    const left =
      "SELECT era || '.' || seq AS cursor FROM catalog_log.commits CROSS JOIN (SELECT era FROM catalog_log.head) AS head";
    expect((await client.query(left)).rows).toEqual([{ cursor: cursors.at(-1) }]);
  } finally {
    await dump.end();
  }
});
