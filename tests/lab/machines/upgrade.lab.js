'use strict';
const { blocksOf } = require('./runbook');
const { beginWrites, get, makeSingle, routes, sql, useMachines } = require('./use-machines');

/* A machine with every role, a writer and an archive of WAL goes from Debian 12 to 13 under writes, by the page of the runbook. */

const { machines } = useMachines({ one: '10.0.0.11' }, ({ machines: { one }, release }) => makeSingle(one, release), {
  suite: 'bookworm',
});

/** @param {string} script of bash @returns {Promise<string>} output */
const run = async (script) => (await machines.one.must(script)).trim();

test('Debian 12 becomes 13 without a write that is lost or doubled', async () => {
  await run(`install -d -o postgres -g postgres -m 700 /mnt/wal
    catalog-node wal_repository=/mnt/wal
    systemctl restart 'postgresql@15-main'
    catalog-node`);
  const era = await run(sql('SELECT era FROM catalog_log.head'));
  const endWrites = await beginWrites(machines.one);
  for (const { commands } of blocksOf('upgrade-the-distribution.md')) console.log(await run(commands));
  const written = await endWrites();
  expect(written).toMatchObject({ lost: 0, doubled: 0, failures: [] });
  expect(written.acknowledged).toBeGreaterThan(1000);
  expect(await run(sql('SELECT era FROM catalog_log.head'))).not.toBe(era);
});

test('it has the versions of Debian 13, its archive and all routes', async () => {
  expect(await run("sed -n 's/^VERSION_CODENAME=//p' /etc/os-release")).toBe('trixie');
  expect(await run('ls /etc/postgresql /var/lib/postgresql')).toBe('/etc/postgresql:\n17\n\n/var/lib/postgresql:\n17');
  await run('runuser -u postgres -- pgbackrest --stanza=catalog check');
  for (const route of routes) await run(`${get} 'http://127.0.0.1${route}'`);
});
