'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { blocksOf } = require('../lab/machines/runbook');
const { root } = require('../../scripts/lib/runtime');
const { callerOf } = require('../helpers/writer');
const { startStack } = require('../helpers/stack');

/* The pages of the runbook about writes, on the stack of npm start: what a node has besides is replaced. */

/** Reads a SQL command as psql -c would, from the database of the stack. */
const asPsql = `const { withClient } = require('./scripts/local/roles');
withClient(process.env.DSN, (client) => client.query(process.argv[1])).then(({ rows }) => console.log(JSON.stringify(rows)))`;

/** @type {import('../helpers/stack').Stack} */
let stack;
/** @type {string} */
let dsn;
/** @type {string} of the writer */
let url;

beforeAll(async () => {
  stack = await startStack();
  const running = JSON.parse(fs.readFileSync(path.join(stack.state, 'stack.json'), 'utf8'));
  dsn = running.loaderDsn;
  url = `http://127.0.0.1:${running.writePorts[0]}`;
}, 120_000);
afterAll(() => stack?.stop());

/**
 * Types a block as a user would in the clone.
 * @param {string} commands
 * @returns {{ status: number | null, output: string }}
 */
function type(commands) {
  const text = commands
    .replaceAll('https://10.0.0.9:8443', url)
    .replaceAll('~/', `${stack.state}/`)
    .replaceAll('/var/log/catalog/', `${stack.state}/logs/`)
    .replaceAll('. /etc/catalog/writer.env', 'true');
  const shell = `runuser() { for sql; do :; done; "$NODE" -e "$AS_PSQL" "$sql"; }
    catalog-key() { "$NODE" scripts/key.js --state ${stack.state} "$@"; }
    catalog-hook() { "$NODE" scripts/hook.js --state ${stack.state} "$@"; }
    catalog-etl() { "$NODE" scripts/etl.js --state ${stack.state} "$@"; }
    catalog-pm2() { if [ "$1" = pid ]; then cat ${stack.state}/run/pm2/pids/writer-*.pid; else "$NODE" scripts/status.js --state ${stack.state}; fi; }
    ${text}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shell], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE: process.execPath,
      AS_PSQL: asPsql,
      DSN: dsn,
      WRITE_HOST: '127.0.0.1',
      WRITE_ADMIN_PORT: String(stack.ports['write-port'] + 1),
    },
  });
  return { status, output: stdout + stderr };
}

/** @param {string} page */
const blocks = (page) => blocksOf(page);

/** @param {string} name @param {string} scopes @returns {{ key: string, id: string }} */
function makeKey(name, scopes) {
  const { status, output } = type(`catalog-key create ${name} --scopes ${scopes}`);
  expect([status, output]).toEqual([0, expect.stringMatching(/^ck_/)]);
  const key = output.trim();
  return { key, id: key.split('_')[1] };
}

test('the writer is down: its page brings it back with all acknowledged writes', async () => {
  const { key } = makeKey('pim', 'content,history,stock');
  const call = callerOf(url, key);
  expect((await call('PATCH', '/products/1', { slogan: 'kept' })).status).toBe(200);
  for (const { commands } of blocks('writer-down.md'))
    expect({ commands, ...type(commands) }).toMatchObject({ commands, status: 0 });
  expect((await call('GET', '/products/1')).body.slogan).toBe('kept');
});

test('writes wait: each command of its page works, and its check fails while stock is late', () => {
  const all = blocks('writes-waiting.md');
  expect(all.length).toBe(5);
  for (const { commands } of all) expect({ commands, ...type(commands) }).toMatchObject({ commands, status: 0 });
  const check = String(all.at(-1)?.commands);
  const late = check.replace(
    /curl .*\| awk/,
    "printf 'catalog_writes_waiting 3\\ncatalog_stock_unapplied 40000\\n' | awk",
  );
  expect(type(late).status).toBe(1);
});

test('a key leaked: what was done with it is found and taken back, and it is refused', async () => {
  const call = callerOf(url, makeKey('reader', 'content').key);
  const price = async () => (await call('GET', '/products/2')).body.default_price;
  const before = await price();
  const [drill, list, revoke, done, ...others] = blocks('key-leaked.md').map(({ commands }) => commands);
  expect(type(drill)).toMatchObject({ status: 0 });
  expect(await price()).toBe('0.01');
  const [, id] = fs.readFileSync(path.join(stack.state, 'leaked.key'), 'utf8').split('_');
  expect(type(list).output).toMatch(new RegExp(`^${id}  leaked-\\d+ `, 'm'));
  expect(type(revoke)).toMatchObject({ status: 0, output: `revoked ${id}\n` });
  expect(type(done).output).toContain('"product_id":2,"revision":2');
  for (const commands of others) expect({ commands, ...type(commands) }).toMatchObject({ commands, status: 0 });
  expect(await price()).toBe(before);
});

test('a webhook is paused: its page tests, resumes, replays, rotates and removes it', () => {
  const all = blocks('hook-paused.md').map(({ commands }) => commands);
  expect(type(all[0])).toMatchObject({ status: 0, output: expect.stringContaining('ECONNREFUSED') });
  for (const commands of all.slice(1)) expect({ commands, ...type(commands) }).toMatchObject({ commands, status: 0 });
  expect(type('catalog-hook list')).toMatchObject({ status: 0, output: '' });
});
