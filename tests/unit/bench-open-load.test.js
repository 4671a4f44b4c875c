'use strict';

const { execFile } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const { startLoad } = require('../../scripts/faults/load/load');

const run = promisify(execFile);
const generator = path.join(__dirname, '../../scripts/bench/open-load.js');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'open-load-'));
const paths = path.join(folder, 'paths');
fs.writeFileSync(paths, '/short\n/long\n/broken\n');

/** @type {string[]} */
let asked = [];
/** @type {Record<string, http.RequestListener>} */
const answers = {
  '/short': (_, response) => response.end('ok'),
  '/long': (_, response) => {
    const body = 'x'.repeat(300_000); // many segments
    response.writeHead(200, { 'Content-Length': body.length }).end(body);
  },
  '/broken': (_, response) => void response.writeHead(500, { 'Content-Length': 0 }).end(),
};
const server = http.createServer((request, response) => {
  asked.push(String(request.url));
  answers[String(request.url)](request, response);
});

/** @type {number} */
let port;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
});
beforeEach(() => (asked = []));
afterAll(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

/** @param {number} rate @param {number} first */
async function load(rate, first) {
  const words = [port, rate, 1, paths, first].map(String);
  const { stdout } = await run(process.execPath, [generator, ...words]);
  return JSON.parse(stdout);
}

test('asks at its rate for the paths in turn, and counts what is not a 200', async () => {
  const result = await load(150, 1);
  expect(asked).toHaveLength(150);
  expect(asked.slice(0, 3).sort()).toEqual(['/broken', '/long', '/short']);
  expect(result).toMatchObject({ errors: 50, next: 151 });
  expect(result.p99Ms).toBeGreaterThan(0);
});

test('counts a connection that breaks while a request is on it, and opens another', async () => {
  answers['/broken'] = (request) => void request.socket.destroy();
  const result = await load(300, 0);
  expect(result.errors).toBe(100);
  expect(asked).toHaveLength(300);
});

test('lets no connection rest while others work: a server closes it, and a request on its way is lost', async () => {
  const used = new Set();
  const note = (/** @type {http.IncomingMessage} */ { socket }) => used.add(socket);
  server.on('request', note);
  await load(300, 0);
  server.off('request', note);
  expect(used.size).toBeGreaterThanOrEqual(256);
});

test('says that a port does not take its connections, instead of trying for ever', async () => {
  const quick = path.join(folder, 'quick.js');
  fs.writeFileSync(quick, 'const { now } = performance; performance.now = () => 100 * now.call(performance);');
  const closed = net.createServer();
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  const { port: nobody } = /** @type {net.AddressInfo} */ (closed.address());
  await new Promise((resolve) => void closed.close(resolve));
  const words = ['--require', quick, generator, nobody, 1, 1, paths, 0].map(String);
  await expect(run(process.execPath, words, { timeout: 10_000 })).rejects.toMatchObject({
    code: 1,
    stderr: `port ${nobody} does not take 256 connections\n`,
  });
});

describe('asks when a request falls due, not one interval later, which would stand in its latency', () => {
  const endless = 100_000;
  /** @param {() => Promise<() => unknown>} start returns what ends it */
  async function firstRequest(start) {
    const received = once(server, 'request', { signal: AbortSignal.timeout(10_000) });
    const end = await start();
    await received.finally(end);
  }

  test('in a measurement', async () => {
    await firstRequest(async () => {
      const words = [port, 1 / endless, endless, paths, 0].map(String);
      const child = execFile(process.execPath, [generator, ...words]);
      return () => child.kill();
    });
    expect(asked).toEqual(['/short']);
  });

  test('in a fault', async () => {
    await firstRequest(async () => {
      const order = { rate: 1 / endless, paths: [['/short']], shares: [1], truth: {} };
      const target = { port, host: '127.0.0.1' };
      const load = await startLoad({ ...order, target, maxConnections: 1, timeoutMs: endless });
      return () => load.stop();
    });
    expect(asked).toEqual(['/short']);
  });
});
