'use strict';
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../helpers/certificate');
const { runTool } = require('../../scripts/lib/run');
const { nginxPrograms, root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { shellWord } = require('../../scripts/lib/words');
const { memoryFolder } = require('../../scripts/local/nginx');
const { loopbacks } = require('../helpers/servers');
const { request } = require('../helpers/http');
const { unless } = require('../helpers/skip');
const { writeStub } = require('../helpers/stub');
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

/** @param {string} state @returns {string} the folder of nginx's cache */
const cacheOf = (state) =>
  path.resolve(
    path.join(state, 'nginx'),
    /^\s*proxy_cache_path "([^"]+)"/m.exec(fs.readFileSync(path.join(state, 'nginx/nginx.conf'), 'utf8'))?.[1] ?? '',
  );

/** @param {string} url */
const answers = async (url) => (await request(url, { path: '/products/1' })).status === 200;

/** @param {import('../helpers/stack').Stack} stack */
async function refusesAnother({ state, up }) {
  const other = runStart(['--state', state]);
  expect(await other.ended).toBe(2);
  expect(other.output().trim().split('\n')).toHaveLength(1);
  const { pid } = up.child;
  expect(other.output()).toContain(`in use by another start (pid ${pid}): stop that one (kill ${pid})`);
}

/** @param {import('../helpers/stack').Stack} stack */
async function showsHttps({ state, url, up }) {
  expect(await waitUntil(() => /^ready https:/m.test(up.output()), 5000)).toBe(true);
  const [http, https] = up.output().match(/(?<=^ready )\S+$/gm) ?? [];
  expect([http, https]).toEqual([url, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/)]);
  const words = [process.execPath, path.join(root, 'scripts/status.js'), '--state', state];
  const { status, output } = await runTool(words, { keepOutput: true });
  const lines = new RegExp(`ok  ${http}/products.*\n.*ok  ${https}/products`);
  expect([status, output]).toEqual([0, expect.stringMatching(lines)]);
  const lacks = /^nginx 1\.31\.3 lacks the security fixes of \S+ .*: no HTTP\/2 until a patched one .* in NGINX_BIN$/m;
  for (const text of [up.output(), output]) expect(text).toMatch(lacks);
}

const certificate = makeCertificate(fs.mkdtempSync(path.join(os.tmpdir(), 'certificate-')));
unless(!certificate && 'no openssl').test(
  'a stack serves, refuses a second start, stops, and starts again with its data',
  async () => {
    const { certFile, keyFile } = /** @type {NonNullable<typeof certificate>} */ (certificate);
    const old = `[ "$1" = -v ] && exec echo nginx/1.31.3; exec ${shellWord(String(nginxPrograms().at(-1)))} "$@"`;
    const env = { NGINX_BIN: writeStub(path.dirname(certFile), 'nginx', old) };
    const stack = await started({ words: ['--certificate', certFile, '--key', keyFile], env });
    const cache = cacheOf(stack.state);
    expect(cache).toBe(path.join(memoryFolder(stack.state) ?? path.join(stack.state, 'nginx'), 'cache'));
    await showsHttps(stack);
    await refusesAnother(stack);
    // nginx caches a reply from the eighth request on.
    for (let round = 0; round < 8; round += 1) expect(await answers(stack.url)).toBe(true);
    expect(fs.readdirSync(cache)).not.toEqual([]);
    stack.up.child.kill('SIGHUP'); // not from a terminal: there is none
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
  },
  180_000,
);

describe('one line names the next step', () => {
  /** @param {string[]} words @param {NodeJS.ProcessEnv} [env] @param {string} [state] */
  async function refusal(words, env, state = newState()) {
    const up = runStart(['--state', state, ...words], env);
    expect(await up.ended).toBe(2);
    expect(up.output().trim().split('\n')).toHaveLength(1);
    return up.output();
  }

  const taken = /** @type {const} */ (['port', 'worker-port', 'admin-port', 'write-port']).map(
    (name, index) => /** @type {const} */ ([name, loopbacks[index % loopbacks.length]]),
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
    const state = newState();
    const left = path.join(state, 'stack.json');
    fs.mkdirSync(state);
    fs.writeFileSync(left, JSON.stringify({ pid: process.pid })); // another process has its pid
    const words = Object.entries(await freePorts()).flatMap(([name, port]) => [`--${name}`, `${port}`]);
    const url = 'postgres://someone:hunter2@127.0.0.1:1/catalog';
    const line = await refusal([...words, '--workers', '1'], { DATABASE_URL: url }, state);
    expect(line).toContain('DATABASE_URL postgres://someone:***@127.0.0.1:1/catalog');
    expect(line).toContain('start the server, or correct host and port');
    expect(line).not.toContain('hunter2');
    expect(fs.existsSync(left)).toBe(false);
  });

  test('when --data has no CSVs', async () => {
    expect(await refusal(['--data', os.tmpdir()])).toContain('are missing: all six files must be in one folder');
  });
});
