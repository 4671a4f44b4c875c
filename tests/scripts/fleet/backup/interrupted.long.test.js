'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { withClient } = require('../../../../scripts/local/roles');
const { binaries, root } = require('../../../../scripts/lib/runtime');
const { tables, useBackups } = require('../../../helpers/backups');
const { writeStub } = require('../../../helpers/stub');

/* Backups and restores during a swap, under a lock, after an interrupted run, under hostile settings, and by other accounts. */

/** A restore runs psql a dozen times, and some tests here make three. */
jest.setTimeout(180_000);

const own = useBackups();
const { ask, backup, base, bin, kept, made, product, restore, run, runAny } = own;
const isRoot = process.getuid?.() === 0;

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

  test('is kept with the newest others, even if a wrong clock gave them later names', () => {
    for (const day of ['01', '02'])
      fs.mkdirSync(path.join(base, `ahead/299901${day}T000000.000Z`), { recursive: true });
    const { status, output } = run('backup.sh', [path.join(base, 'ahead'), '2']);
    expect(status).toBe(0);
    expect(fs.readdirSync(output.split(' ')[0]).sort()).toEqual(['catalog.dump', 'fingerprint']);
    expect(fs.globSync('*Z', { cwd: path.join(base, 'ahead') }).filter((name) => name > '29')).toEqual([
      '29990102T000000.000Z',
    ]);
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

  test('and its backup are the same under any settings of database and shell', async () => {
    await ask('catalog', `CREATE SCHEMA shadow;
      CREATE FUNCTION shadow.hashtextextended(text, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`); // prettier-ignore
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];
    const hostile = limits.map((name) => `${name} = 1`);
    hostile.push("timezone = 'Asia/Kolkata'", "datestyle = 'SQL, DMY'", 'search_path = shadow, pg_catalog, public');
    // At once: the first of these timeouts would end the sessions that set the others.
    await ask('postgres', hostile.map((setting) => `ALTER DATABASE catalog SET ${setting};`).join('\n'));
    const shell = { PGTZ: 'Asia/Tokyo', PGDATESTYLE: 'German', PGOPTIONS: '-c idle_in_transaction_session_timeout=1' };
    expect(backup(shell)).toMatchObject({ status: 0 });
    expect(restore(made(), shell)).toMatchObject({ status: 0 });
    expect(await product()).toBe('served');
  });

  test('accepts a fingerprint of an earlier release with the same time zone', () => {
    const [older, sql] = [path.join(base, 'older'), path.join(root, 'scripts/fleet/backup/fingerprint.sql')];
    expect(backup()).toMatchObject({ status: 0 });
    fs.cpSync(made(), older, { recursive: true });
    const words = ['psql', '-XqAt', '-d', 'catalog', '-v', 'older=yes', '-f', sql];
    const { output } = runAny(words, { PGTZ: 'Asia/Kolkata' });
    expect(output).not.toBe(fs.readFileSync(path.join(older, 'fingerprint'), 'utf8').trim());
    fs.writeFileSync(path.join(older, 'fingerprint'), `${output}\n`);
    expect(restore(older, { PGTZ: 'Asia/Tokyo' })).toMatchObject({ status: 1 });
    expect(restore(older, { PGTZ: 'Asia/Kolkata' })).toMatchObject({ status: 0 });
  });

  test('by root takes a folder relative to its own, although another account runs psql elsewhere', () => {
    // The account of the test's server is that of the test.
    const stub = writeStub(bin, 'setpriv', 'shift 5\nPGHOST=$SOCKETS exec "$@"');
    const asRoot = isRoot ? [] : ['unshare', '--user', '--map-root-user'];
    const folder = path.dirname(made());
    const command = [...asRoot, path.relative(folder, path.join(root, 'scripts/fleet/backup/restore.sh'))];
    const words = [...command, path.basename(made())];
    expect(runAny(words, { PGHOST: '', SOCKETS: own.socketDir() }, folder)).toEqual({
      status: 0,
      output: expect.stringContaining(`catalog is restored from ${made()}; `),
    });
    fs.rmSync(stub);
  });

  test('by an account that cannot read the backup says how to give it to that account', () => {
    fs.chmodSync(base, 0o755);
    const copied = path.join(base, 'copied');
    fs.cpSync(made(), copied, { recursive: true });
    fs.chmodSync(copied, isRoot ? 0o700 : 0);
    const other = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
    const { status, output } = runAny([...other, path.join(root, 'scripts/fleet/backup/restore.sh'), copied]);
    const line = /^restore.sh: the account \w+ cannot read .*copied: run chown -R \w+: /;
    expect([status, output]).toEqual([1, expect.stringMatching(line)]);
    fs.chmodSync(copied, 0o700);
  });
});
