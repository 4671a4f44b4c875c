'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../../../scripts/lib/runtime');
const { useBackups } = require('../../../helpers/backups');

/* Damaged catalogs of a whole stack, swaps, locks and interrupted runs are in the files *.long.test.js beside this one. */

const { ask, backup, backups, base, kept, made, product, restore, run } = useBackups();

test('a restore and its --undo exchange the catalogs, with the migrations of this release', async () => {
  const newest = fs.readdirSync(path.join(root, 'db/migrations')).sort();
  const names = async () =>
    (await ask('catalog', 'SELECT name FROM catalog_meta.migrations ORDER BY name')).map(({ name }) => name);
  expect(backup()).toMatchObject({ status: 0 });
  expect(await names()).toEqual(newest.slice(0, 1));
  await ask('catalog', "UPDATE catalog.products SET name = 'damaged'");
  for (const [way, served] of [
    [made(), 'first'],
    ['--undo', 'damaged'],
  ]) {
    expect(restore(way)).toMatchObject({ status: 0 });
    expect([await product(), await names()]).toEqual([served, newest]);
  }
}, 60_000);

test('a backup that differs from its fingerprint is not served', async () => {
  expect(backup()).toMatchObject({ status: 0 });
  await ask('catalog', "UPDATE catalog.products SET name = 'served'");
  const altered = path.join(base, 'altered');
  fs.cpSync(made(), altered, { recursive: true });
  fs.appendFileSync(path.join(altered, 'fingerprint'), 'photos 1 1\n');
  const line = /differs from its fingerprint; what is served is unchanged\. Restore another backup$/;
  expect(restore(altered)).toEqual({ status: 1, output: expect.stringMatching(line) });
  fs.truncateSync(path.join(altered, 'catalog.dump'), 1000);
  expect(restore(altered).status).not.toBe(0);
  expect(await product()).toBe('served');
}, 60_000);

test('refuses to back up an empty database, and keeps the older backups', async () => {
  await ask('catalog', 'DROP SCHEMA catalog CASCADE');
  const before = kept();
  expect(backup()).toMatchObject({
    status: 1,
    output: expect.stringContaining('nothing is served'),
  });
  expect(kept()).toEqual(before);
});

test('wrong usage and an unreachable server are reported in one line', () => {
  expect(run('backup.sh', ['relative'])).toEqual({
    status: 2,
    output: 'backup.sh: usage: backup.sh FOLDER [KEEP], FOLDER from the root on',
  });
  expect(restore(os.tmpdir())).toEqual({
    status: 2,
    output: expect.stringMatching(/^restore.sh: usage: restore.sh BACKUP/),
  });
  expect(backup({ PGHOST: path.join(backups, 'nowhere') })).toEqual({
    status: 1,
    output: expect.stringMatching(/backup.sh: no backup was made: does catalog exist/),
  });
  expect(fs.readdirSync(backups).filter((name) => name.startsWith('.draft'))).toHaveLength(1);
});

test('a backup is copied off the site with the passwords, or counts as missed', () => {
  const restic = (/** @type {string} */ rest) =>
    fs.writeFileSync(path.join(base, 'bin/restic'), `#!/bin/sh\n${rest}\n`, { mode: 0o755 });
  const [said, secrets] = [path.join(base, 'said'), path.join(base, 'secrets.yml')];
  fs.writeFileSync(secrets, 'api_password: x\n');
  const env = { RESTIC_REPOSITORY: 'far', CATALOG_SECRETS: secrets };
  const config = `{"id": "${'0'.repeat(64)}"}`;
  restic(`echo "$@" >>${said}; case "$*" in *' cat config') echo '${config}' ;; esac`);
  expect(backup(env)).toMatchObject({ status: 0 });
  const name = path.basename(made());
  expect(fs.readFileSync(said, 'utf8').match(/^--no-cache(?: --quiet)? \w+/gm)).toEqual(
    ['cat', '--quiet unlock', '--quiet backup', '--quiet forget'].map((word) => `--no-cache ${word}`),
  );
  expect(fs.readFileSync(said, 'utf8')).toContain(`backup --host catalog ${name}\n`);
  expect(fs.readFileSync(path.join(made(), 'secrets.yml'), 'utf8')).toBe('api_password: x\n');
  restic(`case "$*" in *' cat config') echo '${config}' ;; *' backup '*) exit 1 ;; esac`);
  expect(backup(env)).toMatchObject({ status: 1, output: expect.stringContaining('not copied off the site') });
  expect(backup({})).toMatchObject({ status: 0 });
}, 60_000);
