'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const statements = require('../../../server/writer/database/statements');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

const MIGRATIONS = join(__dirname, '../../../db/migrations');
const migration = (/** @type {string} */ name) => readFileSync(join(MIGRATIONS, name), 'utf8');
const served = serveWriter();
const query = async (/** @type {string} */ text, /** @type {unknown[]} */ values = []) =>
  (await served.catalog.client.query(text, values)).rows;

test('replies are repeated for 48 hours, and then forgotten without reading a large table', async () => {
  const call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'till', scopes: ['stock'] }));
  const adjust = (/** @type {string} */ key) =>
    call('POST', '/stock', { adjust: [[37, 1]] }, { 'Idempotency-Key': key }); // prettier-ignore
  const first = await adjust('kept');
  // Two minutes are left: times are kept to the minute, which may end during the test.
  await query(
    "UPDATE catalog_log.requests SET at = date_trunc('minute', clock_timestamp() - interval '47 hours 57 minutes')",
  );
  await query(`INSERT INTO catalog_log.requests (digest, fingerprint, at, position)
    SELECT gen_random_uuid(), gen_random_uuid(), clock_timestamp() - interval '48 hours 2 minutes', 1
    FROM generate_series(1, 30000)`);
  await query('ANALYZE catalog_log.requests');
  const plan = JSON.stringify(await query(`EXPLAIN ${statements.forgetRequests.text}`));
  expect([plan.includes('Tid Scan'), /Seq Scan|Hash/.test(plan)]).toEqual([true, false]);
  const counts = [];
  do counts.push((await query(statements.forgetRequests.text))[0].count);
  while (counts.at(-1) > 0);
  expect(counts).toEqual([...Array(6).fill(5000), 0]);
  expect((await adjust('kept')).body).toEqual(first.body);
  expect((await adjust('other')).body.position).toBe(first.body.position + 1);
});

test('replies that an earlier release stored are still repeated', async () => {
  const [table] = migration('005_writes.sql').match(/CREATE TABLE catalog_log\.requests [^;]+;/) ?? [];
  await query('BEGIN');
  await query(`DROP TABLE catalog_log.requests; DROP FUNCTION catalog_log.request_digest; ${table}
    INSERT INTO catalog_log.requests (key_id, key, fingerprint, status, headers, body) VALUES
      ('a1', 'stock', sha256('one'), 202, '{}', '{"position" : 7}'),
      ('a1', 'content', sha256('two'), 201, '{"ETag":"x"}', '{"id":8}');`);
  await query(migration('011_small_requests.sql'));
  const rows = await query(statements.requests.text, [['a1', 'a1', 'b2'], ['stock', 'content', 'stock']]); // prettier-ignore
  await query('ROLLBACK');
  const [stock, content] = rows.sort((one, other) => other.key.localeCompare(one.key));
  expect(rows).toHaveLength(2);
  expect(stock).toMatchObject({ key: 'stock', position: '7', status: null, body: null });
  expect(content).toMatchObject({ key: 'content', status: 201, headers: { ETag: 'x' }, body: '{"id":8}' });
  expect(content.fingerprint).toBe('3fc4ccfe745870e2c0d99f71f30ff065'); // of sha256('two'), as the service cuts it
});
