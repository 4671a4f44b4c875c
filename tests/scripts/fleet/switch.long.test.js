'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../../helpers/folder');
const { freePort } = require('../../helpers/servers');

const program = path.resolve(__dirname, '../../../scripts/fleet/switch.js');

/** A worker of a release: `answer` is the status of its routes, and `ready` whether it listens on its admin port. */
const workerCode = `const http = require('node:http');
const [port, admin] = process.argv.slice(2);
const serve = (at, status, body) => http.createServer((_, reply) => reply.writeHead(status).end(body)).listen(at, '127.0.0.1');
const { status, ready, lacks } = require(process.cwd() + '/worker.json');
serve(port, status, '[]');
if (ready) serve(admin, lacks ? 503 : 200, lacks ?? '{}');
`;

/** PM2 of a node: a worker is a process in the folder that \`current\` names. */
const pm2Code = `#!/bin/bash
cd "$CATALOG_ROOT"
if [ "$1" = pid ]; then cat "pids/$2" 2>/dev/null || echo 0; exit; fi
[ "$1" = reload ] && echo "$4" >>reloads
read -r _ port admin < <(grep "^$4 " programs)
[ ! -e "pids/$4" ] || kill "$(cat "pids/$4")"
cd -P opt/catalog/current
"${process.execPath}" "$CATALOG_ROOT/worker.js" "$port" "$admin" >/dev/null 2>&1 &
echo $! >"$CATALOG_ROOT/pids/$4"
! grep -q '"ready":false' worker.json
`;

// Before the folder is removed.
afterEach(() => {
  for (const name of fs.readdirSync(at('pids')))
    process.kill(Number(fs.readFileSync(at('pids', name), 'utf8')), 'SIGKILL');
});
const { at, write } = useFolder('node');
/** @type {string[]} the two workers */
let names;

/** @param {string} id @param {{ status?: number, ready?: boolean, lacks?: string, config?: string }} [what] */
function addRelease(id, { status = 200, ready = true, lacks, config = '' } = {}) {
  write(`opt/catalog/releases/${id}/worker.json`, JSON.stringify({ status, ready, lacks }));
  write(`opt/catalog/releases/${id}/server/config/config.js`, `exports.loadConfig = () => { ${config} };`);
}

/** @param {...string} words */
function call(...words) {
  const env = { PATH: process.env.PATH, CATALOG_ROOT: at() };
  const { status, stdout } = spawnSync(process.execPath, [program, ...words], { env, encoding: 'utf8' });
  return { status, output: stdout.trim() };
}
const succeeded = { status: 0, output: '' };
const state = () => JSON.parse(call('state').output);
const reloads = () => fs.readFileSync(at('reloads'), 'utf8').split('\n').filter(Boolean);
const forgetReloads = () => write('reloads', '');

beforeEach(async () => {
  const port = await freePort(4);
  names = [`worker-${port}`, `worker-${port + 1}`];
  fs.mkdirSync(at('pids'));
  write('worker.js', workerCode);
  write('programs', names.map((name, index) => `${name} ${port + index} ${port + 2 + index}\n`).join(''));
  write('usr/local/sbin/catalog-pm2', pm2Code, 0o755);
  const ports = `CATALOG_WORKER_PORT=${port}\nCATALOG_ADMIN_PORT=${port + 2}\n`;
  write('etc/catalog/worker.env', `HOST=127.0.0.1\nADMIN_HOST=127.0.0.1\nCATALOG_WORKERS=2\n${ports}`);
  addRelease('old');
  expect(call('to', 'old')).toEqual(succeeded);
  forgetReloads();
});

test('moves the workers of a node one after the other, and a second time none', () => {
  addRelease('new');
  expect(call('to', 'new', '--note', 'old')).toEqual(succeeded);
  expect(reloads()).toEqual(names);
  const serves = { [names[0]]: 'new', [names[1]]: 'new' };
  expect(state()).toMatchObject({ current: 'new', whole: 'old', before: 'old', serves });
  call('settle', 'old');
  expect(state()).toMatchObject({ current: 'new', previous: 'old', whole: 'new', before: 'old' });
  forgetReloads();
  expect(call('to', 'new', '--note', 'new')).toEqual(succeeded);
  expect(reloads()).toEqual([]);
});

test('goes back the last worker first, and moves only those that were moved', () => {
  addRelease('new', { ready: false });
  expect(call('to', 'new', '--note', 'old').output).toContain(`${names[0]} of new`);
  forgetReloads();
  expect(call('to', 'old', '--backwards')).toEqual(succeeded);
  expect(reloads()).toEqual([names[0]]);
  expect(state().serves).toEqual({ [names[0]]: 'old', [names[1]]: 'old' });
});

test('says what a program lacks that does not become ready', () => {
  addRelease('new', { lacks: '{"database":"outdated: run prepare"}' });
  const output = `${names[0]} of new is not ready: {"database":"outdated: run prepare"}`;
  expect(call('to', 'new', '--note', 'old')).toEqual({ status: 1, output });
}, 60_000);

test('ends a process that PM2 has lost, which keeps the ports', () => {
  const file = at('pids', names[0]);
  const lost = fs.readFileSync(file, 'utf8').trim();
  fs.rmSync(file);
  expect(call('to', 'old')).toEqual(succeeded);
  expect(reloads()).toEqual([names[0]]);
  expect(fs.existsSync(`/proc/${lost}`)).toBe(false);
});

test('refuses a canary that is ready and answers 500', () => {
  addRelease('wrong', { status: 500 });
  const output = `${names[0]} of wrong does not serve: ?count=1 is answered 500`;
  expect(call('to', 'wrong', '--canary')).toEqual({ status: 1, output });
  expect(reloads()).toEqual([names[0]]);
});

test("checks the node's settings with the code of the release", () => {
  const config = "if (process.env.GZIP_MIN_BYTES !== '7') throw new Error('GZIP_MIN_BYTES: must be 7');";
  addRelease('strict', { config });
  expect(call('check', 'strict')).toEqual({ status: 1, output: 'GZIP_MIN_BYTES: must be 7' });
  write('etc/catalog/worker.local.env', 'GZIP_MIN_BYTES=7\nNODE_OPTIONS=--wrong\n');
  expect(call('check', 'strict')).toEqual(succeeded);
});

test('keeps five releases, those that are named, and those that links name', () => {
  for (const id of ['named', 'gone', 'a', 'b', 'c', 'd', 'e']) addRelease(id);
  expect(call('prune', 'named')).toEqual(succeeded);
  expect(state().kept.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'named', 'old']);
});

test('has nothing to reload on a node without workers', () => {
  fs.rmSync(at('etc/catalog/worker.env'));
  addRelease('new');
  expect(call('check', 'new').status).toBe(0);
  expect(call('to', 'new').status).toBe(0);
  expect(state()).toMatchObject({ current: 'new', serves: {} });
  expect(reloads()).toEqual([]);
});
