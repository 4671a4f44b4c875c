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

/** @param {string[]} command */
function run(...[program, ...words]) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect([status, status ? `${stdout}${stderr}` : '']).toEqual([0, '']);
  return stdout.trim();
}
const script = (/** @type {string} */ name) => path.join(root, 'scripts/fleet/backup', name);
const sql = (/** @type {string} */ text) => run('psql', '-XqAt', '-d', 'catalog', '-c', text);

/** The catalog as clients see it; each of two workers may need a moment to reconnect. @returns {Promise<string[]>} */
async function served() {
  const paths = ['/products?count=1000', '/products/1', '/products/1/styles', '/products/1/related'];
  const replies = await Promise.all(paths.map((each) => request(stack.url, { path: each })));
  // A hash, since the difference of two catalogs fills a screen. Bodies of problems always differ.
  const hash = (/** @type {string} */ body) => crypto.createHash('sha256').update(body).digest('hex');
  return replies.map(({ status, body }) => `${status} ${status === 200 ? hash(body) : ''}`);
}
const eraOf = () => Number(sql('SELECT era FROM catalog_log.head'));

test('a restore serves a damaged catalog again byte for byte, and --undo reverts it', async () => {
  const whole = await served();
  expect(whole.every((reply) => reply.startsWith('200 '))).toBe(true);
  const made = run(script('backup.sh'), backups).replace(/ \S+$/, '');
  sql(`DELETE FROM catalog.styles_documents; DELETE FROM catalog.product_documents WHERE id < 100;
    SELECT catalog_meta.bump_version()`);
  /** @type {string[]} the same from both workers, and from nginx, which caches a reply for a second */
  let damaged = [];
  const isDamaged = async () => {
    damaged = await served();
    const [list, ...replies] = damaged;
    return list.startsWith('200') && list !== whole[0] && replies.every((reply) => reply.startsWith('404'));
  };
  expect(await waitUntil(isDamaged, 60_000)).toBe(true);
  const eras = [eraOf()];
  for (const step of [made, '--undo', made]) {
    run(script('restore.sh'), step);
    const expected = JSON.stringify(step === made ? whole : damaged);
    expect(await waitUntil(async () => JSON.stringify(await served()) === expected, 60_000)).toBe(true);
    eras.push(eraOf());
  }
  expect(eras).toEqual([...new Set(eras)].sort((a, b) => a - b)); // a cursor of the database before is refused
}, 300_000);
