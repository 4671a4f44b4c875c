'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root: repository } = require('../../../scripts/lib/runtime');
const { blocksOf } = require('./runbook');
const { beginWrites, get, inventory, makeSingle, routes, sql, useMachines } = require('./use-machines');

/* A machine of an earlier release gets this one under writes, and then a backup that the earlier one made. */

const address = '10.0.0.11';
const { admin, machines, release } = useMachines({ one: address }, async ({ machines: { one }, before }) => {
  await makeSingle(one, before);
  await one.must('systemctl start catalog-backup');
});

/** @param {string} script of bash @returns {Promise<string>} output */
const run = async (script) => (await machines.one.must(script)).trim();
const migrations = () => run(sql('SELECT name FROM catalog_meta.migrations ORDER BY name'));
const ofRelease = fs.readdirSync(path.join(repository, 'db/migrations')).sort().join('\n');

async function expectRoutes() {
  // curl tells of repeats, while workers reconnect, on its standard error.
  for (const route of routes) JSON.parse(await run(`${get} 'http://127.0.0.1${route}' 2>/dev/null`));
}

test('a release with later migrations is deployed, and no write is lost or doubled', async () => {
  expect((await migrations()).length).toBeLessThan(ofRelease.length);
  const node = `{ ansible_connection: local, ansible_host: 127.0.0.1 }`;
  await admin.must(
    'admin',
    `scp -r one:/etc/catalog/inventory . && sed -i 's/${node}/{ ansible_host: ${address} }/' ${inventory}`,
  );
  const endWrites = await beginWrites(machines.one);
  console.log(await admin.must('admin', `npm run -s fleet -- deploy -e release_file=${release}`));
  const written = await endWrites();
  expect(written).toMatchObject({ lost: 0, doubled: 0, failures: [] });
  expect(written.acknowledged).toBeGreaterThan(100);
  expect(await migrations()).toBe(ofRelease);
  expect(await run('readlink /opt/catalog/current')).toContain(path.basename(release, '.tar').slice('catalog-'.length));
  await expectRoutes();
  console.log(await run('catalog-node'));
});

test('a backup of the release before gets the migrations of this one', async () => {
  const [, restore] = blocksOf('restore-from-backup.md').filter(({ mark }) => mark === 'run');
  expect(await run(restore.commands)).toMatch(/catalog is restored from/);
  expect(await migrations()).toBe(ofRelease);
  await expectRoutes();
  const endWrites = await beginWrites(machines.one);
  await run('systemctl start catalog-backup');
  expect(await endWrites()).toMatchObject({ lost: 0, doubled: 0, failures: [] });
});
