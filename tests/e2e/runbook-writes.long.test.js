'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { blocksOf } = require('../../scripts/machines/runbook');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { callerOf } = require('../helpers/writer');
const { startStack } = require('../helpers/stack');

/* The pages of the runbook about writes: fleets have no writer yet, so their commands run on the stack of npm start. */

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
 * @param {string} commands @param {Record<string, string>} [env] variables that the page names
 * @returns {{ status: number | null, output: string }}
 */
function type(commands, env = {}) {
  const text = commands
    .replace(/npm run (\w+)(?: --)?/g, `"$NODE" scripts/$1.js --state ${stack.state}`)
    .replaceAll('.state/', `${stack.state}/`);
  const shell = `runuser() { for sql; do :; done; "$NODE" -e "$AS_PSQL" "$sql"; }\n${text}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shell], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      ...{
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE: process.execPath,
        AS_PSQL: asPsql,
        DSN: dsn,
        WRITER: url,
      },
      ...{ WRITE_ADMIN_PORT: String(stack.ports['write-port'] + 1), ...env },
    },
  });
  return { status, output: stdout + stderr };
}

/** Those of a page that this test can run. @param {string} page */
const blocks = (page) =>
  blocksOf(page).filter(({ mark, commands }) => mark === 'stack' || commands.startsWith('runuser'));

/** @param {string} name @param {string} scopes @returns {{ key: string, id: string }} */
function makeKey(name, scopes) {
  const { status, output } = type(`npm run key -- create ${name} --scopes ${scopes}`);
  expect([status, output]).toEqual([0, expect.stringMatching(/^ck_/)]);
  const key = output.trim();
  return { key, id: key.split('_')[1] };
}

test('the writer is down: its page ends a hanging one, and it comes back with what it had acknowledged', async () => {
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
  const leaked = makeKey('leaked', 'content,stock');
  const { key } = makeKey('desk', 'content,history');
  const thief = callerOf(url, leaked.key);
  const before = (await thief('GET', '/products/2')).body.default_price;
  expect((await thief('PATCH', '/products/2', { default_price: '0.01' })).status).toBe(200);
  const env = {
    ...{ ID: leaked.id, NAME: 'leaked', LEAKED: leaked.key, KEY: key },
    ...{ PRODUCT: '2', REVISION: '1' },
  };
  const [list, revoke, done, rollBack, ...checks] = blocks('key-leaked.md').map(({ commands }) => commands);
  expect(type(list, env).output).toMatch(/^[0-9a-f]+ {2}leaked /m);
  expect(type(revoke, env)).toMatchObject({ status: 0, output: `revoked ${leaked.id}\n` });
  expect(type(done, env).output).toContain('"product_id":2,"revision":2');
  expect(type(rollBack, env)).toMatchObject({ status: 0 });
  const refused = async () => (await thief('GET', '/products/2')).status === 401;
  await waitUntil(refused, 10_000);
  for (const commands of checks) expect({ commands, ...type(commands, env) }).toMatchObject({ commands, status: 0 });
  const { body } = await callerOf(url, key)('GET', '/products/2');
  expect(body.default_price).toBe(before);
});
