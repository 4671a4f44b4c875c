'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { withClient } = require('../../../../scripts/local/roles');
const { binaries } = require('../../../../scripts/lib/runtime');
const { tables, useBackups } = require('../../../helpers/backups');
const { writeStub } = require('../../../helpers/stub');

/* Backups and restores during a swap, under a lock, or after an interrupted run. */

/** A restore runs psql a dozen times, and some tests here make three. */
jest.setTimeout(180_000);

const own = useBackups();
const { ask, backup, base, bin, kept, made, product, restore, run } = own;

/** @param {string} after shell commands that run after pg_dump */
const dumpThen = (after) => writeStub(bin, 'pg_dump', `"${binaries().postgresBin}/pg_dump" "$@" || exit\n${after}`);
/** The loader's renames; a second call reverts them. */
const swap = `psql -X -q -d catalog -c 'BEGIN; ALTER SCHEMA catalog RENAME TO catalog_other;
  ALTER SCHEMA catalog_next RENAME TO catalog; ALTER SCHEMA catalog_other RENAME TO catalog_next; COMMIT'`;

/** @returns {Promise<string[]>} databases that refuse connections */
const closed = async () =>
  (await ask('postgres', 'SELECT datname FROM pg_database WHERE NOT datallowconn'))
    .map(({ datname }) => datname)
    .filter((name) => name !== 'template0');

describe('a backup', () => {
  test('that meets a swap contains only what is served afterwards', async () => {
    await ask('catalog', tables('catalog_next', 'second'));
    dumpThen(`[ -e ${base}/swapped ] || { touch ${base}/swapped && ${swap}; }`);
    expect(backup()).toMatchObject({ status: 0 });
    await ask('catalog', "UPDATE catalog.products SET name = 'damaged'");
    expect(restore(made())).toMatchObject({ status: 0 });
    expect(await product()).toBe('second');
  });

  test('that meets a swap at each try fails with a message', async () => {
    await ask('catalog', tables('catalog_next', 'second'));
    const before = kept();
    dumpThen(swap);
    const { status, output } = backup();
    expect([status, output]).toEqual([1, expect.stringMatching(/^backup.sh: no backup .* a swap occurred/)]);
    expect(kept()).toEqual(before);
  });

  test('is kept even if a wrong clock left enough others with later names', () => {
    const folder = path.join(base, 'ahead');
    for (const day of ['01', '02']) fs.mkdirSync(path.join(folder, `299901${day}T000000.000Z`), { recursive: true });
    const { status, output } = run('backup.sh', [folder, '2']);
    expect(status).toBe(0);
    expect(fs.readdirSync(output.split(' ')[0]).sort()).toEqual(['catalog.dump', 'fingerprint']);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('Z'))).toHaveLength(2);
  });

  test('may take longer than the limit for idle transactions', () => {
    const more = { PGOPTIONS: '-c idle_in_transaction_session_timeout=1' };
    expect(backup(more)).toMatchObject({ status: 0 });
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    expect(backup()).toMatchObject({ status: 0 });
    await ask('catalog', "UPDATE catalog.products SET name = 'served'");
  });

  test('that was refused blocks neither the next one nor its undo', async () => {
    const altered = path.join(base, 'altered');
    fs.cpSync(made(), altered, { recursive: true });
    fs.appendFileSync(path.join(altered, 'fingerprint'), 'photos 1 1\n');
    expect(restore(altered)).toMatchObject({ status: 1 });
    expect(restore(made())).toMatchObject({ status: 0 });
    await ask('postgres', 'CREATE DATABASE catalog_restored');
    expect(restore('--undo')).toMatchObject({ status: 0 });
    expect([await product(), await product('catalog_restored')]).toEqual(['served', 'first']);
    expect(await closed()).toEqual([]);
  });

  test('that is repeated after its end keeps the only copy of what was served', async () => {
    expect(restore(made())).toMatchObject({ status: 0 });
    await ask('postgres', 'ALTER DATABASE catalog_replaced ALLOW_CONNECTIONS false'); // interrupted before it allowed connections again
    const { status, output } = restore(made());
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/^restore.sh: .* catalog-restore --undo\. .*'DROP DATABASE/),
    ]);
    expect([await product(), await product('catalog_replaced')]).toEqual(['first', 'served']);
    expect(restore('--undo')).toMatchObject({ status: 0 });
    expect(restore(made())).toMatchObject({ status: 0 });
    expect([await product(), await product('catalog_replaced')]).toEqual(['first', 'served']);
  });

  test('that cannot rename lets the workers connect again, and the next run succeeds', async () => {
    expect(restore(made())).toMatchObject({ status: 0 });
    await withClient(own.superuserDsn('postgres'), async (client) => {
      await client.query('BEGIN; ALTER DATABASE catalog_replaced CONNECTION LIMIT 9');
      expect(restore('--undo', { PGOPTIONS: '-c lock_timeout=100' }).status).not.toBe(0);
    });
    expect(await closed()).toEqual([]);
    expect(await product()).toBe('first');
    expect(restore('--undo')).toMatchObject({ status: 0 });
    expect(await product()).toBe('served');
  });

  test('prints the command for each replica, also when it is repeated or undone', () => {
    const real = `exec "${binaries().postgresBin}/psql" "$@"`;
    expect([restore(made()), restore('--undo')].map(({ output }) => output.includes('replica'))).toEqual([
      false,
      false,
    ]);
    const psql = writeStub(bin, 'psql', `case "$*" in *pg_stat_replication*) echo 10.0.0.21 ;; *) ${real} ;; esac`);
    const told = expect.stringMatching(
      /^now run on each replica \(10\.0\.0\.21\): .*pg_terminate_backend.*catalog_writer'\)"$/m,
    );
    const results = [restore(made()), restore(made()), restore('--undo')];
    fs.rmSync(psql);
    expect(results).toEqual([0, 1, 0].map((status) => ({ status, output: told })));
  });

  test('that was interrupted between its renames keeps the only copy of what was served', async () => {
    await ask('postgres', 'ALTER DATABASE catalog RENAME TO catalog_replaced');
    await ask('postgres', 'ALTER DATABASE catalog_replaced ALLOW_CONNECTIONS false');
    expect(restore(made())).toMatchObject({ status: 0 });
    expect([await product(), await product('catalog_replaced')]).toEqual(['first', 'served']);
    expect(restore('--undo')).toMatchObject({ status: 0 });
    expect(await product()).toBe('served');
  });
});
