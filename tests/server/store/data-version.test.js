'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { serveCatalog, startService, until } = require('../../helpers/app');
const { manyProducts } = require('../../helpers/database');
const { byTwoNames, newEra } = require('../../helpers/replica');

const migration = join(__dirname, '../../../db/migrations/002_moment_grows.sql');

describe('the data version', () => {
  const served = serveCatalog(manyProducts(5));
  const sql = (/** @type {string} */ text) => served.catalog.client.query(text);

  test("has a later time at each change, even if the database's clock was set back", async () => {
    await sql("UPDATE catalog_meta.data_version SET changed_at = clock_timestamp() + interval '1 hour'");
    const seen = [];
    for (let change = 0; change < 3; change += 1) {
      const next = served.app.nextVersion();
      await sql('SELECT catalog_meta.bump_version(1)');
      seen.push(String((await next)[0]));
    }
    const moments = seen.map((token) => Number(token.split('-')[1]));
    expect(moments[0]).toBeGreaterThan((Date.now() + 3_000_000) * 1000);
    expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b));
  });

  test('changes at a promotion, unless nothing was loaded yet', async () => {
    const next = served.app.nextVersion();
    await sql(newEra);
    await next;
    await sql('BEGIN; UPDATE catalog_meta.data_version SET version = 0');
    await sql(newEra);
    const { rows } = await sql('SELECT version FROM catalog_meta.data_version');
    await sql('ROLLBACK');
    expect(rows).toEqual([{ version: '0' }]);
  });

  test('changes with the era at a promotion', async () => {
    const state = async () =>
      (await sql('SELECT era, version::int FROM catalog_log.head, catalog_meta.data_version')).rows[0];
    const before = await state();
    await sql(newEra);
    const after = await state();
    expect(after.era).toBeGreaterThan(before.era);
    expect(after.version).toBe(before.version + 1);
    await sql(newEra);
    expect((await state()).era).toBeGreaterThan(after.era);
  });

  test('changes alone at a promotion before a load by this release', async () => {
    for (const older of ['DROP FUNCTION catalog_log.begin_era', 'DROP SCHEMA catalog_log CASCADE']) {
      await sql(`BEGIN; ${older}`);
      const [{ version }] = (await sql('SELECT version::int FROM catalog_meta.data_version')).rows;
      await sql(newEra);
      const { rows } = await sql('SELECT version::int FROM catalog_meta.data_version');
      await sql('ROLLBACK');
      expect(rows).toEqual([{ version: version + 1 }]);
    }
  });

  test('has a migration that may be applied again', async () => {
    await sql(`SET ROLE catalog_owner; ${readFileSync(migration, 'utf8')}; RESET ROLE`);
    const next = served.app.nextVersion();
    await sql('SELECT catalog_meta.bump_version()');
    await next;
  });

  test('may be unreadable for a while without losing the connection', async () => {
    const own = await startService({ DATABASE_URL: served.catalog.dsn, VERSION_POLL_MS: 50 });
    try {
      await until(() => own.counts.databaseConnected === 5);
      await sql('REVOKE SELECT ON catalog_meta.data_version FROM catalog_api');
      await until(() => own.counts.versionUnread > 1);
      expect(own.service.health().ready).toBe(false);
      await sql('GRANT SELECT ON catalog_meta.data_version TO catalog_api');
      await until(() => own.service.health().ready);
      expect([own.counts.databaseLost, own.counts.databaseConnected]).toEqual([undefined, 5]);
    } finally {
      await own.close();
    }
  });
});

describe('database connections', () => {
  const served = serveCatalog(manyProducts(5));

  test.each(['catalog-short', 'catalog-bulk', 'catalog-search', 'catalog-version'])(
    '%s: a loss counts once',
    async (name) => {
      const { counts } = served.app;
      await until(() => counts.databaseConnected >= 5);
      const { databaseConnected: connected, databaseLost: lost = 0 } = counts;
      const { rows } = await served.catalog.client.query(
        `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
         WHERE application_name = '${name}' AND datname = current_database()`,
      );
      await until(() => counts.databaseConnected === connected + rows[0].ended);
      expect(counts.databaseLost).toBe(lost + rows[0].ended);
    },
  );

  test('of two servers have the names of these in events and metrics', async () => {
    const names = ['bulk', 'search', 'short', 'version'];
    const { url, names: servers, forget } = byTwoNames(served.catalog.dsn);
    const lanes = servers.flatMap((server) => names.map((name) => `${server} ${name}`)).sort();
    const own = await startService({ DATABASE_URL: url });
    try {
      /** @type {Set<string>} */
      const lost = new Set();
      own.service.events.on('databaseLost', (lane, _error, server) => lost.add(`${server} ${lane}`));
      await until(() => own.counts.databaseConnected === 10);
      await served.catalog.client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE 'catalog-%' AND datname = current_database()`,
      );
      await until(() => own.counts.databaseConnected === 20);
      expect([...lost].sort()).toEqual(lanes);
      const before = own.counts.queried ?? 0;
      expect((await fetch(`${own.url}/products/2`)).status).toBe(200);
      await until(() => own.counts.queried > before);
      const figures = await (await fetch(`${own.adminUrl}/metrics`)).text();
      for (const lane of names)
        expect(figures).toMatch(new RegExp(`^catalog_database_lost_total\\{lane="${lane}"\\} [2-9]`, 'm'));
      expect(figures).toMatch(/^catalog_database_queries_ahead_count\{lane="short"\} [1-9]/m);
      for (const server of servers)
        expect(figures).toContain(`catalog_database_in_flight{server="${server}",lane="short"} 0\n`);
    } finally {
      await own.close();
      forget();
    }
  });
});
