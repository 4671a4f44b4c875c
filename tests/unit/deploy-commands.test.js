'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { commands } = require('../../scripts/deploy/commands');

/** Loopback has more than one address: this one stands for a node's own. */
const address = '127.0.0.2';
const deadlineMs = 10_000;

/** @type {string} in place of /etc/catalog */
let etc;
/** @type {http.Server} */
let worker;
let status = 200;
beforeAll(async () => {
  etc = fs.mkdtempSync(path.join(os.tmpdir(), 'etc-'));
  worker = http.createServer((_, response) => response.writeHead(status).end());
  worker.listen(0, address);
  await once(worker, 'listening');
});
afterAll(() => {
  worker.close();
  worker.closeAllConnections();
  fs.rmSync(etc, { recursive: true });
});
afterEach(() => fs.rmSync(path.join(etc, 'worker.local.env'), { force: true }));

/** @param {number} waitMs @returns {Promise<number>} exit status of what a deploy runs on a node */
async function awaitReady(waitMs) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (worker.address());
  const words = commands
    .awaitReady(port, waitMs)
    .map((word) => word.replaceAll('/etc/catalog', etc))
    .map((word) => (word === '/opt/catalog/node/bin/node' ? process.execPath : word));
  const [code] = await once(spawn(words[0], words.slice(1), { stdio: 'ignore' }), 'exit');
  return code;
}

test('a deploy asks a worker for readiness at the address that the node gave it', async () => {
  fs.writeFileSync(path.join(etc, 'worker.env'), `ADMIN_HOST=${address}\n`);
  status = 503;
  expect(await awaitReady(1)).toBe(1);
  status = 200;
  expect(await awaitReady(deadlineMs)).toBe(0);
});

test("the operator's own file has the last word on that address, as it has for the worker", async () => {
  fs.writeFileSync(path.join(etc, 'worker.env'), 'ADMIN_HOST=192.0.2.1\n');
  fs.writeFileSync(path.join(etc, 'worker.local.env'), `ADMIN_HOST=${address}\n`);
  expect(await awaitReady(deadlineMs)).toBe(0);
});
