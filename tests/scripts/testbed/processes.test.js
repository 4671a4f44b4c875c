'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { signalRunning } = require('../../../scripts/lib/process');
const { leastGained, openDescriptors } = require('../../lab/testbed/processes');
const { counterOf } = require('../../lab/testbed/rig');

test('a process gained the rise of its lowest value, and a restart does not count', () => {
  const holding = (/** @type {number[]} */ ...counts) =>
    counts.map((sockets, atMs) => ({ atMs, memoryMb: 100, sockets, cached: 0, files: 20 }));
  const [busy, leaking] = [holding(40, 300, 90, 500, 60, 45), holding(40, 90, 300, 350, 400, 420)];
  expect(leastGained([busy, holding(9, 9, 9)], 'sockets')).toBe(5);
  expect(leastGained([busy, leaking], 'sockets')).toBe(360);
  expect(leastGained([holding(40, 400)], 'sockets')).toBeNaN();
});

test('distinguishes a cached reply of nginx from other open files', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'descriptors-'));
  const before = openDescriptors(process.pid);
  const names = ['0123456789abcdef0123456789abcdef', 'nginx-access.log'];
  const files = names.map((name) => fs.openSync(path.join(dir, name), 'w'));
  fs.rmSync(dir, { recursive: true }); // nginx deletes an expired file and keeps it open for a moment
  const { cached, files: others } = openDescriptors(process.pid);
  expect([cached - before.cached, others - before.files]).toEqual([1, 1]);
  files.forEach((file) => fs.closeSync(file));
});

test('a signal to a server that has ended names it', () => {
  const { pid } = spawnSync('true');
  expect(() => signalRunning('Valkey', pid, 'SIGKILL')).toThrow(`Valkey (process ${pid}) has ended before SIGKILL`);
});

test('a counter that a worker does not report is an error, unless it has labels', async () => {
  const metrics = 'a_total 2\nb_total{tier="l1"} 3\nb_total{tier="l2"} 4\n';
  const server = http.createServer((_req, res) => void res.end(metrics));
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const counts = ['a_total', 'b_total', 'b_total{tier="l2"}', 'b_total{tier="l3"}'];
  expect(await Promise.all(counts.map((name) => counterOf([port, port], name)))).toEqual([4, 14, 8, 0]);
  await expect(counterOf([port], 'c_total')).rejects.toThrow('does not report its c_total');
  server.closeAllConnections();
  server.close();
});
