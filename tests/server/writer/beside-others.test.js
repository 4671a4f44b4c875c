'use strict';

const { Client } = require('pg');

const { callerOf, failedChecks, serveWriter, startWriter } = require('../../helpers/writer');

const served = serveWriter(undefined, { PG_LOCK_TIMEOUT_MS: 300 });
const ANY = { 'If-Match': '*' };
/** @param {{ body: any }} reply */
const slugOf = ({ body }) => body.type.slice('urn:catalog:problem:'.length);

/** Holds the gate as a swap does. @param {() => Promise<void>} work */
async function behindGate(work) {
  const loader = new Client({ connectionString: served.catalog.superuserDsn });
  await loader.connect();
  await loader.query('BEGIN; SELECT pg_advisory_xact_lock(catalog_log.gate())');
  try {
    await work();
  } finally {
    await loader.end();
  }
}

test('a write waits for a swap, and is refused when that takes long', async () => {
  await behindGate(async () => {
    const reply = await served.call('PATCH', '/products/4', { name: 'x' });
    expect([reply.status, slugOf(reply), reply.headers.get('retry-after')]).toEqual([503, 'writes-paused', '1']);
  });
  expect((await served.call('PATCH', '/products/4', { name: 'x' })).status).toBe(200);
});

/** A swap would have to wait now. @param {Client} client */
async function isGateHeld(client) {
  const { rows } = await client.query(`SELECT CASE WHEN pg_try_advisory_lock(catalog_log.gate())
    THEN NOT pg_advisory_unlock(catalog_log.gate()) ELSE true END AS held`);
  return rows[0].held;
}

test('an open write holds the gate, so that a swap waits for it', async () => {
  const holder = new Client({ connectionString: served.catalog.superuserDsn });
  await holder.connect();
  await holder.query('BEGIN; SELECT FROM catalog.product_documents WHERE id = 4 FOR UPDATE');
  let held = false;
  // Each write waits for the row, behind the gate, until its lock timeout, which may pass before the gate is looked at.
  for (let attempt = 0; attempt < 20 && !held; attempt += 1) {
    let open = true;
    const write = served.call('PATCH', '/products/4', { name: 'y' }).finally(() => (open = false));
    while (open && !held) held = await isGateHeld(served.catalog.client);
    await write;
  }
  expect(held).toBe(true);
  await holder.end();
});

test('after a swap, writes go into the new catalog, and a deletion waits for its indexes', async () => {
  const row = "(7, 'Of the load', '', '', '', 1)";
  await served.catalog.client.query(`INSERT INTO catalog_meta.loads (id, state, fingerprint, directory, campus)
    OVERRIDING SYSTEM VALUE VALUES (2, 'live', '', '', 'hr-lax')`);
  await served.catalog.swap(`INSERT INTO {schema}.products VALUES ${row}`, 2);
  const reply = await served.call('PATCH', '/products/7', { slogan: 'written' });
  expect([reply.status, reply.body]).toEqual([
    200,
    expect.objectContaining({ name: 'Of the load', slogan: 'written' }),
  ]);
  expect((await served.call('PATCH', '/products/4', { name: 'x' })).status).toBe(404);
  expect(slugOf(await served.call('DELETE', '/products/7', undefined, ANY))).toBe('writes-paused');
  expect(await failedChecks(served.catalog.client)).toEqual([]);
});

test('a catalog of an earlier release, which grants the writer nothing, must be loaded again', async () => {
  await served.catalog.client.query('REVOKE USAGE ON SCHEMA catalog FROM catalog_writer');
  const replies = [await served.call('PATCH', '/products/1', { name: 'x' }), await served.call('GET', '/products/1')];
  await served.catalog.client.query('GRANT USAGE ON SCHEMA catalog TO catalog_writer');
  const detail = 'No catalog is loaded by this release. Load one. Retry after 1 s.';
  expect(replies.map(({ status, body }) => [status, body.detail])).toEqual([
    [503, detail],
    [503, detail],
  ]);
});

test('two writers at once lose no write of each other', async () => {
  const second = await startWriter(served.catalog.writerDsn);
  const calls = [served.call, callerOf(second.url, served.key)];
  const patch = (/** @type {number} */ round, /** @type {number} */ field) =>
    calls[(round + field) % 2]('PATCH', '/products/7', {
      [['name', 'slogan', 'description', 'category'][field]]: `${round}`,
    });
  for (let round = 0; round < 25; round += 1) {
    const replies = await Promise.all([0, 1, 2, 3].map((field) => patch(round, field)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await served.call('GET', '/products/7');
    expect(body).toMatchObject({ name: `${round}`, slogan: `${round}`, description: `${round}`, category: `${round}` });
  }
  const { rows } = await served.catalog.client.query('SELECT max(seq) = count(*) AS whole FROM catalog_log.commits');
  expect(rows).toEqual([{ whole: true }]);
  expect(await failedChecks(served.catalog.client)).toEqual([]);
  await second.close();
});

test('a key that a second writer is still using makes no second product', async () => {
  const second = await startWriter(served.catalog.writerDsn);
  const product = {
    ...{ name: 'once', slogan: '', description: '', category: '', default_price: '1' },
    features: [],
    related: [],
    styles: {},
  };
  for (let round = 0; round < 10; round += 1) {
    const key = { 'Idempotency-Key': `both-${round}` };
    const replies = await Promise.all(
      [served.call, callerOf(second.url, served.key)].map((call) => call('POST', '/products', product, key)),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[0].body).toEqual(replies[1].body);
  }
  await second.close();
});
