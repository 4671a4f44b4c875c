'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { binaries } = require('../../../../scripts/lib/runtime');
const { describeState, secretsOf } = require('../../../../scripts/local/state');
const { waitUntil } = require('../../../../scripts/lib/wait-until');
const { root } = require('../../../docs/sources');
const { request } = require('../../../helpers/http');
const { startStack } = require('../../../helpers/stack');
const { writeStub } = require('../../../helpers/stub');

const isRoot = process.getuid?.() === 0;

/** @type {import('../../../helpers/stack').Stack} */
let stack;
/** @type {string} */
let backups;
/** @type {NodeJS.ProcessEnv} as libpq reads it */
let env;

beforeAll(async () => {
  // Code that quotes this path must quote the apostrophe too.
  backups = fs.mkdtempSync(path.join(os.tmpdir(), "a shop's backups-"));
  stack = await startStack();
  const state = describeState(stack.state);
  env = {
    PATH: `${binaries().postgresBin}:${process.env.PATH}`,
    PGHOST: state.run,
    PGUSER: 'postgres',
    PGPASSWORD: secretsOf(state, []).postgresPassword,
  };
}, 300_000);

afterAll(async () => {
  await stack?.stop();
  fs.rmSync(backups, { recursive: true, force: true });
}, 60_000);

/** @param {string} program @param {string[]} words */
const run = (program, ...words) => runIn(root, env, program, ...words);
/** @param {string} cwd @param {NodeJS.ProcessEnv} settings @param {string} program @param {string[]} words */
function runIn(cwd, settings, program, ...words) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    env: settings,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, output: `${stdout}${stderr}`.trim() };
}
const script = (/** @type {string} */ name) => path.join(root, 'scripts/fleet/backup', name);
const backup = (/** @type {string[]} */ ...words) => run(script('backup.sh'), backups, ...words);
const restore = (/** @type {string} */ what, more = {}) => runIn(root, { ...env, ...more }, script('restore.sh'), what);
const sql = (/** @type {string} */ text, database = 'catalog') =>
  expect(run('psql', '-X', '-q', '-d', database, '-c', text)).toEqual({ status: 0, output: '' });
const kept = () =>
  fs
    .readdirSync(backups)
    .filter((name) => name.endsWith('Z'))
    .sort();
const newest = () => path.join(backups, kept().at(-1) ?? 'none');

/** The catalog as clients see it; each of two workers may need a moment to reconnect. @returns {Promise<string[]>} */
async function served() {
  const paths = ['/products?count=1000', '/products/1', '/products/1/styles', '/products/1/related'];
  const replies = await Promise.all(paths.map((each) => request(stack.url, { path: each })));
  // A hash, since the difference of two catalogs fills a screen. Bodies of problems always differ.
  const hash = (/** @type {string} */ body) => crypto.createHash('sha256').update(body).digest('hex');
  return replies.map(({ status, body }) => `${status} ${status === 200 ? hash(body) : ''}`);
}
const eraOf = () => Number(run('psql', '-XAt', '-d', 'catalog', '-c', 'SELECT era FROM catalog_log.head').output);
/** @param {string[]} expected */
async function becomes(expected) {
  const same = async () => JSON.stringify(await served()) === JSON.stringify(expected);
  expect(await waitUntil(same, 60_000)).toBe(true);
}

test('a restore serves a damaged catalog again byte for byte, and --undo reverts it', async () => {
  const whole = await served();
  expect(whole.every((reply) => reply.startsWith('200 '))).toBe(true);
  expect(backup()).toMatchObject({ status: 0 });
  const damage = `DELETE FROM catalog.styles_documents; DELETE FROM catalog.product_documents WHERE id < 100;
    SELECT catalog_meta.bump_version()`;
  expect(run('psql', '-X', '-q', '-d', 'catalog', '-c', damage)).toMatchObject({ status: 0 });
  /** @type {string[]} the same from both workers, and from nginx, which caches a reply for a second */
  let damaged = [];
  const isDamaged = async () => {
    damaged = await served();
    const [list, ...replies] = damaged;
    return list.startsWith('200') && list !== whole[0] && replies.every((reply) => reply.startsWith('404'));
  };
  expect(await waitUntil(isDamaged, 60_000)).toBe(true);
  const eras = [eraOf()];
  for (const [step, expected] of /** @type {[string, string[]][]} */ ([
    [newest(), whole],
    ['--undo', damaged],
    [newest(), whole],
  ])) {
    expect(restore(step)).toMatchObject({ status: 0 });
    await becomes(expected);
    eras.push(eraOf());
  }
  expect(eras).toEqual([...new Set(eras)].sort((a, b) => a - b)); // a cursor of the database before is refused
  expect(run('psql', '-X', '-d', 'postgres', '-c', 'DROP DATABASE catalog_replaced')).toMatchObject({ status: 0 });
}, 300_000);

test('keeps the given number of newest backups', () => {
  backup();
  const last = newest();
  expect(backup('2').status).toBe(0);
  expect(kept()).toHaveLength(2);
  expect(path.join(backups, kept()[0])).toBe(last);
}, 60_000);

test('a backup that differs from its fingerprint is not served', async () => {
  const before = await served();
  const altered = path.join(backups, 'altered');
  fs.cpSync(newest(), altered, { recursive: true });
  fs.appendFileSync(path.join(altered, 'fingerprint'), 'photos 1 1\n');
  const { status, output } = restore(altered);
  expect(status).toBe(1);
  expect(output).toMatch(/differs from its fingerprint; what is served is unchanged\. Restore another backup$/);
  fs.truncateSync(path.join(altered, 'catalog.dump'), 10_000);
  expect(restore(altered).status).not.toBe(0);
  expect(await served()).toEqual(before);
}, 60_000);

test('settings of database and shell break neither backup nor restore', async () => {
  const before = await served();
  sql(`CREATE SCHEMA shadow;
    CREATE FUNCTION shadow.hashtextextended(text, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`);
  const hostile = [
    "timezone = 'Asia/Kolkata'",
    "datestyle = 'SQL, DMY'",
    'search_path = shadow, pg_catalog, public',
    'statement_timeout = 1',
    'idle_in_transaction_session_timeout = 1',
    'idle_session_timeout = 1',
  ];
  // At once: the first of these timeouts would end the sessions that set the others.
  sql(hostile.map((setting) => `ALTER DATABASE catalog SET ${setting};`).join('\n'));
  expect(backup()).toMatchObject({ status: 0 });
  expect(restore(newest(), { PGTZ: 'Asia/Tokyo', PGDATESTYLE: 'German' })).toMatchObject({ status: 0 });
  await becomes(before);
  sql('DROP DATABASE catalog_replaced', 'postgres');
}, 120_000);

test('accepts a fingerprint of an earlier release with the same time zone', () => {
  const older = path.join(backups, 'older');
  fs.cpSync(newest(), older, { recursive: true });
  const words = ['-X', '-q', '-A', '-t', '-d', 'catalog', '-v', 'older=yes', '-f', script('fingerprint.sql')];
  const { status, output } = runIn(root, { ...env, PGTZ: 'Asia/Kolkata' }, 'psql', ...words);
  expect([status, output]).not.toEqual([0, fs.readFileSync(path.join(older, 'fingerprint'), 'utf8').trim()]);
  fs.writeFileSync(path.join(older, 'fingerprint'), `${output}\n`);
  expect(restore(older, { PGTZ: 'Asia/Tokyo' })).toMatchObject({ status: 1 });
  expect(restore(older, { PGTZ: 'Asia/Kolkata' })).toMatchObject({ status: 0 });
  sql('DROP DATABASE catalog_replaced', 'postgres');
}, 120_000);

test('root restores a folder relative to its own, although another account runs psql elsewhere', () => {
  const bin = fs.mkdtempSync(path.join(os.tmpdir(), 'bin-'));
  // The account of the test's server is that of the test.
  writeStub(bin, 'setpriv', 'shift 5\nPGHOST=$SOCKETS exec "$@"');
  const settings = { ...env, PATH: `${bin}:${env.PATH}`, SOCKETS: env.PGHOST, PGHOST: '' };
  const asRoot = isRoot ? [] : ['unshare', '--user', '--map-root-user'];
  const name = path.basename(newest());
  const words = [...asRoot, path.relative(backups, script('restore.sh')), name];
  expect(runIn(backups, settings, words[0], ...words.slice(1))).toEqual({
    status: 0,
    output: `catalog is restored from ${newest()}; the database before it is catalog_replaced`,
  });
  fs.rmSync(bin, { recursive: true });
}, 60_000);

test('reports a backup that only root may read with the next step', () => {
  const outer = fs.mkdtempSync(path.join(os.tmpdir(), 'copied-'));
  const copied = path.join(outer, 'backup');
  fs.chmodSync(outer, 0o755);
  fs.cpSync(newest(), copied, { recursive: true });
  fs.chmodSync(copied, isRoot ? 0o700 : 0);
  const other = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];
  const words = [...(isRoot ? other : []), script('restore.sh'), copied];
  const { status, output } = run(words[0], ...words.slice(1));
  expect(status).toBe(1);
  expect(output).toMatch(/^restore.sh: the account \w+ cannot read .*backup: run chown -R \w+: /);
  fs.chmodSync(copied, 0o700);
  fs.rmSync(outer, { recursive: true });
});
