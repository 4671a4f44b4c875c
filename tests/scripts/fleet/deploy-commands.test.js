'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { commands } = require('../../../scripts/fleet/deploy/commands');
const { root } = require('../../../scripts/lib/runtime');
const { execute } = require('../../../scripts/fleet/transport');

/** The address of the node: another one of the loopback. */
const address = '127.0.0.2';
const deadlineMs = 10_000;

/** @type {string} replaces /etc/catalog */
let etc;
/** @type {http.Server} */
let worker;
let status = 200;
/** Replies that differ from the normal ones. @type {(path: string) => [number, object] | undefined} */
let reply = () => undefined;
/** @type {string[]} */
const asked = [];
beforeAll(async () => {
  etc = fs.mkdtempSync(path.join(os.tmpdir(), 'etc-'));
  worker = http.createServer(({ url = '' }, response) => {
    asked.push(url);
    const [code, body] = reply(url) ?? [status, [{ id: 7 }]];
    response.writeHead(code).end(JSON.stringify(body));
  });
  worker.listen(0, address);
  await once(worker, 'listening');
});
afterAll(() => {
  worker.close();
  worker.closeAllConnections();
  fs.rmSync(etc, { recursive: true });
});
afterEach(() => fs.rmSync(path.join(etc, 'worker.local.env'), { force: true }));

const port = () => /** @type {import('node:net').AddressInfo} */ (worker.address()).port;
/** @param {string[]} command what a deploy runs on a node */
const onNode = (command) =>
  execute(
    command
      .map((word) => word.replaceAll('/etc/catalog', etc))
      .map((word) => (word === '/opt/catalog/node/bin/node' ? process.execPath : word)),
  );
/** @param {number} waitMs @returns {Promise<number>} exit status */
const awaitReady = async (waitMs) => (await onNode(commands.awaitReady(port(), waitMs))).status;

test('a deploy checks the readiness of a worker at the address in worker.env', async () => {
  fs.writeFileSync(path.join(etc, 'worker.env'), `ADMIN_HOST=${address}\n`);
  status = 503;
  expect(await awaitReady(1)).toBe(1);
  status = 200;
  expect(await awaitReady(deadlineMs)).toBe(0);
});

test("the operator's own file overrides that address, as it does for the worker", async () => {
  fs.writeFileSync(path.join(etc, 'worker.env'), 'ADMIN_HOST=192.0.2.1\n');
  fs.writeFileSync(path.join(etc, 'worker.local.env'), `ADMIN_HOST=${address}\n`);
  expect(await awaitReady(deadlineMs)).toBe(0);
});

test("a release checks a node's settings, also the operator's, without letting Node read its own variables from them", async () => {
  const check = () =>
    onNode(commands.checkSettings('new').map((word) => word.replace('/opt/catalog/releases/new', root)));
  fs.writeFileSync(
    path.join(etc, 'worker.env'),
    'DATABASE_URL=postgres://catalog_api@/catalog\nNODE_OPTIONS=--no-such\n',
  );
  expect(await check()).toMatchObject({ status: 0, printed: '' });
  fs.writeFileSync(path.join(etc, 'worker.local.env'), 'LOG_LEVEL=DEBUG\n');
  expect(await check()).toMatchObject({ status: 1, printed: expect.stringContaining('\n  LOG_LEVEL: ') });
});

test("a deploy finds New Relic's key in either settings file of a node", async () => {
  const hasKey = async () => (await onNode(commands.hasAgentKey())).status === 0;
  fs.rmSync(path.join(etc, 'worker.env'), { force: true }); // a node without workers
  expect(await hasKey()).toBe(false);
  fs.writeFileSync(path.join(etc, 'worker.env'), 'NEW_RELIC_LICENSE_KEY=\n');
  expect(await hasKey()).toBe(false);
  fs.writeFileSync(path.join(etc, 'worker.local.env'), "NEW_RELIC_LICENSE_KEY='f00d'\n");
  expect(await hasKey()).toBe(true);
});

describe('the canary', () => {
  const routes = ['?count=1', '/7', '/7/styles', '/7/related'].map((tail) => `/products${tail}`);
  /** @param {(path: string) => [number, object] | undefined} answers */
  async function watch(answers) {
    fs.writeFileSync(path.join(etc, 'worker.env'), `HOST=${address}\n`);
    asked.splice(0);
    reply = answers;
    const { status: code, printed } = await onNode(commands.watchWorker(port(), 1));
    return [code, printed];
  }

  test('must answer each route once, and all of them again later', async () => {
    expect(await watch(() => undefined)).toEqual([0, '']);
    expect(asked).toEqual([...routes, ...routes]);
  });

  test.each(routes.slice(1))('that answers 500 to %s fails, at once or later', async (route) => {
    const told = `:${port()}/${route.slice(1)}: 500`;
    expect(await watch((url) => (url === route ? [500, {}] : undefined))).toEqual([1, told]);
    expect(asked.filter((url) => url === route)).toHaveLength(1);
    expect(await watch((url) => (url === route && asked.length > 4 ? [500, {}] : undefined))).toEqual([1, told]);
  });

  test('that keeps answering 503 fails', async () => {
    expect(await watch(() => [503, {}])).toEqual([1, `:${port()}/products?count=1: 503`]);
    expect(asked).toHaveLength(5);
  });

  test('that does not listen fails', async () => {
    fs.writeFileSync(path.join(etc, 'worker.env'), 'HOST=127.0.0.3\n');
    const { status: code, printed } = await onNode(commands.watchWorker(port(), 1));
    expect([code, printed]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  });

  test.each([
    ['of an empty catalog', (/** @type {string} */ url) => (url === routes[0] ? [200, []] : undefined)],
    ['whose product has just gone', (/** @type {string} */ url) => (url === routes[0] ? undefined : [404, {}])],
    ['that sheds for a moment', () => (asked.length < 3 ? [503, {}] : undefined)],
  ])('%s passes', async (_, answers) => {
    expect(await watch(/** @type {any} */ (answers))).toEqual([0, '']);
  });
});
