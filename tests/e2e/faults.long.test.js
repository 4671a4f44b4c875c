'use strict';
const path = require('node:path');
const { runTool } = require('../../scripts/lib/run');
const { root } = require('../../scripts/lib/runtime');
const { generateSample } = require('../../scripts/lib/commands');
const { isAlive } = require('../../scripts/lib/proc');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { askConstantly, request } = require('../helpers/http');
const { pidOf, startStack, workerPids } = require('../helpers/stack');

const recoveryMs = 30_000;
/** @type {import('../helpers/stack').Stack} */
let stack;

beforeAll(async () => {
  stack = await startStack();
}, 120_000);
afterAll(() => stack?.stop(), 60_000);

/** @param {string} [path] */
const answers = (path = '/products/2') =>
  request(stack.url, { path }).then(
    ({ status }) => status === 200,
    () => false,
  );

test('a killed worker fails no request and is restarted', async () => {
  const [victim] = workerPids(stack.state);
  // Bypass the cache, so that every request needs a worker.
  const traffic = askConstantly(`${stack.url}/products?count=1&count%20=1`);
  process.kill(victim, 'SIGKILL');
  const replaced = () => !workerPids(stack.state).includes(victim);
  expect(await waitUntil(replaced, recoveryMs)).toBe(true);
  const ready = `http://127.0.0.1:${stack.ports['admin-port']}`;
  const isReady = () =>
    request(ready, { path: '/readyz' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  expect(await waitUntil(isReady, recoveryMs)).toBe(true);
  const { asked, failed } = await traffic.stop();
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(0);
});

test('a load into the running stack fails no request, and its data is served', async () => {
  const data = path.join(path.dirname(stack.state), 'larger');
  await runTool(generateSample(data, 700), { keepOutput: true });
  const list = '/products?page=601&count=1';
  expect((await request(stack.url, { path: list })).body).toBe('[]');
  const traffic = askConstantly(`${stack.url}/products/1`);
  const command = [process.execPath, path.join(root, 'scripts/load.js'), data];
  const load = await runTool([...command, '--state', stack.state], { keepOutput: true });
  expect(load).toMatchObject({ status: 0 });
  const served = async () => (await request(stack.url, { path: list })).body !== '[]';
  expect(await waitUntil(served, 5000)).toBe(true);
  const { asked, failed } = await traffic.stop();
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(0);
}, 60_000);

test.each(/** @type {const} */ (['valkey', 'nginx', 'postgres', 'pm2']))(
  '%s is restarted when it dies, and the stack answers again',
  async (name) => {
    const victim = pidOf(stack.state, name);
    process.kill(victim, 'SIGKILL');
    const replaced = () => pidOf(stack.state, name) !== victim && isAlive(pidOf(stack.state, name));
    expect(await waitUntil(replaced, recoveryMs)).toBe(true);
    const path = '/products?count=1&count%20=1';
    expect(await waitUntil(() => answers(path), recoveryMs)).toBe(true);
    expect(stack.up.output()).toContain(`${name} ended (SIGKILL): starting it again`);
  },
  70_000,
);
