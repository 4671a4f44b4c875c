'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { useBackups } = require('../../../helpers/backups');

/* Damaged catalogs of a whole stack, swaps, locks and interrupted runs are in the files *.long.test.js beside this one. */

const { ask, backup, backups, base, kept, made, product, restore, run } = useBackups();

test('a restore brings a damaged catalog back, and --undo reverts it', async () => {
  expect(backup()).toMatchObject({ status: 0 });
  await ask('catalog', "UPDATE catalog.products SET name = 'damaged'");
  expect(restore(made())).toMatchObject({ status: 0 });
  expect([await product(), await product('catalog_replaced')]).toEqual(['first', 'damaged']);
  expect(restore('--undo')).toMatchObject({ status: 0 });
  expect(await product()).toBe('damaged');
}, 60_000);

test('a backup that differs from its fingerprint is not served', async () => {
  expect(backup()).toMatchObject({ status: 0 });
  await ask('catalog', "UPDATE catalog.products SET name = 'served'");
  const altered = path.join(base, 'altered');
  fs.cpSync(made(), altered, { recursive: true });
  fs.appendFileSync(path.join(altered, 'fingerprint'), 'photos 1 1\n');
  const { status, output } = restore(altered);
  expect([status, output]).toEqual([
    1,
    expect.stringMatching(/differs from its fingerprint; what is served is unchanged\. Restore another backup$/),
  ]);
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
