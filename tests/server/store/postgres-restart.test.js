'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startPostgres } = require('../../../scripts/local/postgres');
const { withClient } = require('../../../scripts/local/roles');
const { until } = require('../../helpers/app');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'restart-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** Pages of the table that are in the buffers; asking does not bring them there. */
const buffered = `SELECT count(*)::int AS pages FROM pg_buffercache
  WHERE relfilenode = pg_relation_filenode('kept') AND relforknumber = 0
    AND reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test('a restarted PostgreSQL reads its former buffers back', async () => {
  const first = await startPostgres({ dir });
  const pages = await withClient(first.superuserDsn('catalog'), async (client) => {
    await client.query('CREATE EXTENSION pg_buffercache');
    await client.query(`CREATE TABLE kept AS SELECT repeat('x', 1000) FROM generate_series(1, 800)`);
    return (await client.query(buffered)).rows[0].pages;
  });
  expect(pages).toBeGreaterThan(100);
  await first.stop();

  const second = await startPostgres({ dir });
  try {
    await withClient(second.superuserDsn('catalog'), async (client) => {
      await until(async () => (await client.query(buffered)).rows[0].pages >= pages);
    });
  } finally {
    await second.stop();
  }
}, 60_000);
