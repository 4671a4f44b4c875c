'use strict';
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { memoryFolder } = require('../../scripts/local/nginx-folders');
const { createTestDatabase, loopbacks, redisUrl } = require('../helpers/servers');
const { request } = require('../helpers/http');
const { freePorts, newState, processesOf, runStart, startStack } = require('../helpers/stack');

/** @type {(() => Promise<unknown>)[]} */
let cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  cleanups = [];
}, 60_000);

/** @param {Parameters<typeof startStack>[0]} [options] */
async function started(options) {
  const stack = await startStack(options);
  cleanups.push(() => stack.stop());
  return stack;
}

/** @param {string} state @returns {string} where its nginx keeps replies */
const cacheOf = (state) =>
  /^\s*proxy_cache_path "([^"]+)"/m.exec(fs.readFileSync(path.join(state, 'nginx/nginx.conf'), 'utf8'))?.[1] ?? '';

/** @param {string} url */
const answers = async (url) => (await request(url, { path: '/products/1' })).status === 200;

test('SIGTERM stops everything with exit 0, and the second start finds its data', async () => {
  const stack = await started();
  const cache = cacheOf(stack.state);
  expect(cache).toBe(path.join(memoryFolder(stack.state) ?? path.dirname(cache), 'cache'));
  // Kept is what is asked for eight times.
  for (let round = 0; round < 8; round += 1) expect(await answers(stack.url)).toBe(true);
  expect(fs.readdirSync(cache)).not.toEqual([]);
  stack.up.child.kill('SIGHUP'); // not of a terminal: there is none
  expect(await answers(stack.url)).toBe(true);
  expect(await stack.stop('SIGTERM')).toBe(0);
  expect(fs.existsSync(path.dirname(cache))).toBe(false);
  expect(processesOf(stack.state)).toEqual([]);
  await expect(request(stack.url)).rejects.toThrow('ECONNREFUSED');
  const again = await started({ state: stack.state });
  expect(again.up.output()).toContain('has products already');
  expect(await answers(again.url)).toBe(true);
  expect(await again.stop('SIGINT')).toBe(0);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test('what a killed start left behind is stopped by the next one', async () => {
  const stack = await started();
  stack.up.child.kill('SIGKILL');
  await stack.up.ended;
  expect(processesOf(stack.state).length).toBeGreaterThan(0);
  const again = await started({ state: stack.state });
  expect(again.up.output()).toContain('an earlier start left postgres');
  expect(await answers(again.url)).toBe(true);
  expect(await again.stop()).toBe(0);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test('a stack whose folder is removed says so and stops', async () => {
  const stack = await started();
  fs.rmSync(stack.state, { recursive: true, force: true });
  expect(await stack.up.ended).toBe(1);
  expect(stack.up.output()).toContain(`${stack.state} was removed while the stack ran`);
  expect(processesOf(stack.state)).toEqual([]);
}, 180_000);

test('two stacks run side by side, a third start on one of them is refused in one line', async () => {
  const [one, other] = await Promise.all([started(), started()]);
  expect([await answers(one.url), await answers(other.url)]).toEqual([true, true]);
  const third = runStart(['--state', one.state]);
  expect(await third.ended).toBe(2);
  expect(third.output().trim().split('\n')).toHaveLength(1);
  expect(third.output()).toContain(
    `in use by another start (pid ${one.up.child.pid}): stop that one (kill ${one.up.child.pid})`,
  );
  expect(await answers(one.url)).toBe(true);
}, 180_000);

test('servers that already run are used: no other Postgres or Valkey is started', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const env = { DATABASE_URL: database.superuserDsn, REDIS_URL: redisUrl() };
  // The roles belong to the test server and have passwords, which are not ours to change: say them.
  const stack = await started({ env: { ...env, API_DATABASE_URL: database.dsn('api') } });
  expect(await answers(stack.url)).toBe(true);
  expect(fs.readdirSync(path.join(stack.state, 'pids')).sort()).toEqual(['nginx.pid', 'pm2.pid', 'start.pid']);
}, 120_000);

test('what a killed stack left tells of none as soon as the next start begins, though another process has its pid', async () => {
  const state = newState();
  const left = path.join(state, 'stack.json');
  fs.mkdirSync(state);
  fs.writeFileSync(left, JSON.stringify({ pid: process.pid }));
  const words = Object.entries(await freePorts()).flatMap(([name, port]) => [`--${name}`, `${port}`]);
  const up = runStart(['--state', state, '--workers', '1', ...words], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
  });
  expect(await up.ended).toBe(2);
  expect(fs.existsSync(left)).toBe(false);
});

describe('one line names the next step', () => {
  /** @param {string[]} words @param {NodeJS.ProcessEnv} [env] */
  async function refusal(words, env) {
    const up = runStart(['--state', newState(), ...words], env);
    expect(await up.ended).toBe(2);
    expect(up.output().trim().split('\n')).toHaveLength(1);
    return up.output();
  }

  const taken = /** @type {const} */ (['port', 'worker-port', 'admin-port']).flatMap((name) =>
    loopbacks.map((host) => /** @type {const} */ ([name, host])),
  );
  test.each(taken)('when --%s is taken at %s', async (name, host) => {
    const ports = await freePorts();
    const holder = net.createServer();
    await new Promise((resolve) => holder.listen(ports[name], host, () => resolve(undefined)));
    cleanups.push(() => new Promise((resolve) => holder.close(resolve)));
    const words = Object.entries(ports).flatMap(([option, port]) => [`--${option}`, `${port}`]);
    const line = await refusal(['--workers', '1', ...words]);
    expect(line).toContain(`port ${ports[name]} is in use by`);
    expect(line).toContain(`(pid ${process.pid}): choose another with --${name} P`);
  });

  test('when DATABASE_URL is wrong, without its password', async () => {
    const words = Object.entries(await freePorts()).flatMap(([name, port]) => [`--${name}`, `${port}`]);
    const url = 'postgres://someone:hunter2@127.0.0.1:1/catalog';
    const line = await refusal([...words, '--workers', '1'], { DATABASE_URL: url });
    expect(line).toContain('DATABASE_URL postgres://someone:***@127.0.0.1:1/catalog');
    expect(line).toContain('start the server, or correct host and port');
    expect(line).not.toContain('hunter2');
  });

  test('when --data has no CSVs, an option is unknown or a number is none', async () => {
    expect(await refusal(['--data', os.tmpdir()])).toContain('are missing: all six files must be in one folder');
    expect(await refusal(['--prot', '80'])).toContain('--help');
    expect(await refusal(['--port', '99999'])).toContain('from 1 to 65535');
  });
});
