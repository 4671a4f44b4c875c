'use strict';
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { text } = require('node:stream/consumers');

const { fillCatalog, servedLoad } = require('../../../scripts/local/catalog');
const { childrenOf } = require('../../../scripts/lib/proc');
const { runTool } = require('../../../scripts/lib/run');
const { root } = require('../../../scripts/lib/runtime');
const { openState } = require('../../../scripts/local/state');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { createTestDatabase } = require('../../helpers/servers');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loaded-'));
const [a, b] = ['a', 'b'].map((name) => path.join(dir, name));
const state = openState(path.join(dir, 'state'));
/** @type {Awaited<ReturnType<typeof createTestDatabase>>} */
let database;

beforeAll(async () => {
  database = await createTestDatabase();
  const generate = path.join(root, 'scripts/generate');
  for (const folder of [a, b]) execFileSync(process.execPath, [generate, folder, '--products', '30']);
  describeStack({});
});
afterAll(async () => {
  await database.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @param {Partial<import('../../../scripts/local/state').RunningStack>} facts */
function describeStack(facts) {
  const stack = { pid: 1, url: '', loaderDsn: database.dsn('loader'), workerPorts: [], adminPorts: [], ...facts };
  fs.writeFileSync(state.stack, JSON.stringify(stack));
}

/** @param {string} data @param {boolean} [fresh] @param {string[]} [loader] @returns {Promise<'loads' | 'has it'>} what `npm start -- --data` does */
async function start(data, fresh = false, loader = []) {
  /** @type {string[]} */
  const said = [];
  const { signal } = new AbortController();
  const steps = {
    state,
    loaderDsn: database.dsn('loader'),
    say: (/** @type {string} */ line) => said.push(line),
    signal,
  };
  await fillCatalog(steps, { data, loader, products: 0, fresh });
  return said.some((line) => line.includes('loaded already')) ? 'has it' : 'loads';
}

/** As npm runs it, typed in the folder of both catalogs. @param {string} script @param {string[]} words */
const command = (script, ...words) =>
  spawnSync(process.execPath, [path.join(root, 'scripts', script), ...words], {
    cwd: root,
    env: { ...process.env, INIT_CWD: dir },
    encoding: 'utf8',
  });

test('files are loaded again unless just they are served', async () => {
  expect([await start(a), await start(a), await start(b), await start(a)]).toEqual([
    'loads',
    'has it',
    'loads',
    'loads',
  ]);
  expect(command('load.js', '--state', state.dir, b, '--', '--dry-run').status).toBe(0);
  expect(await start(b)).toBe('loads'); // a dry run is no load
  expect(command('load.js', '--state', state.dir, a).status).toBe(0);
  expect(await start(a)).toBe('has it');
  expect(command('etl.js', '--state', state.dir, 'unswap').status).toBe(0);
  expect(await start(a)).toBe('loads');
  expect(command('load.js', '--state', state.dir, a, '--', '--campus=nyc').status).toBe(0);
  expect(await start(a, false, ['--campus', 'nyc'])).toBe('has it');
  expect(await start(a)).toBe('loads'); // with the campus of npm start
}, 120_000);

test('--fresh loads files anew though just they are served', async () => {
  await start(a);
  const before = await servedLoad(database.dsn('loader'));
  await start(a, true);
  expect(await servedLoad(database.dsn('loader'))).not.toBe(before);
}, 60_000);

test('a path among the words of the loader is meant from the folder in which it was typed', () => {
  const stack = ['--state', 'state'];
  expect(command('load.js', ...stack, 'a', '--', '--dry-run', '--rejects', 'of-load').status).toBe(0);
  expect(command('etl.js', ...stack, 'load', 'a', '--dry-run', '--rejects', 'of-etl').status).toBe(0);
  expect(fs.readdirSync(dir)).toEqual(expect.arrayContaining(['of-load', 'of-etl']));
}, 60_000);

test("rejected rows of npm run etl lie in the stack's own folder", () => {
  fs.rmSync(state.rejects, { recursive: true, force: true });
  expect(command('etl.js', '--state', state.dir, 'load', a, '--dry-run').status).toBe(0);
  expect(fs.existsSync(state.rejects)).toBe(true);
});

test('npm run etl passes words on to the loader, has a help of its own, and is refused without a stack', () => {
  const none = ['--state', path.join(dir, 'none')];
  expect(command('etl.js', ...none, 'verify', '--help').stdout).toContain('--served');
  expect(command('etl.js', ...none, '-h').stdout).toContain('unswap');
  expect(command('etl.js', '--help').stdout).toContain('npm run etl');
  expect(command('etl.js', ...none, 'status')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no stack runs on'),
  });
});

test.each([
  ['load.js', []],
  ['etl.js', ['load']],
])('a loader that a signal has killed is explained by %s, with the command to type again', async (script, step) => {
  const words = [path.join(root, 'scripts', script), '--state', 'state', ...step, 'a'];
  const env = { ...process.env, INIT_CWD: dir };
  const running = spawn(process.execPath, words, { cwd: dir, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(running.stderr);
  const loaders = () => childrenOf(running.pid ?? 0);
  expect(await waitUntil(() => loaders().length > 0, 20_000)).toBe(true);
  process.kill(loaders()[0], 'SIGKILL');
  const typed = ['--state', 'state', ...step, 'a'].join(' ');
  expect(await said).toBe(
    `the loader was killed (SIGKILL), perhaps for lack of memory: type npm run ${script.slice(0, -3)} -- ${typed} again\n`,
  );
});

test.each([
  ['up', 0, 'ok  '],
  ['down', 1, 'NOT OK (cache down)  '],
])(
  'npm run status tells how the parts of a worker are, and with Redis %s ends with %i',
  async (cache, wanted, verdict) => {
    const parts = JSON.stringify({ ready: true, database: 'up', cache, version: '7' });
    const server = http.createServer((_req, res) => void res.end(parts)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    describeStack({ url: `http://127.0.0.1:${port}`, workerPorts: [3030], adminPorts: [port] });
    const words = [process.execPath, path.join(root, 'scripts/status.js'), '--state', state.dir];
    const { status, output } = await runTool(words, { keepOutput: true });
    server.close();
    const line = `worker 3030   ${verdict}http://127.0.0.1:${port}/readyz  database up, cache ${cache}, version 7\n`;
    expect([status, output]).toEqual([wanted, expect.stringContaining(line)]);
  },
);
