'use strict';
const { spawn } = require('node:child_process');
const { hash } = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const { startLoad } = require('../../lab/testbed/loadgen/load');
const { flagBits, Observed } = require('../../lab/testbed/loadgen/observed');
/** @import { Order } from '../../lab/testbed/loadgen/generator' */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loadgen-'));
const file = path.join(folder, 'paths');
fs.writeFileSync(file, '/short\n/long\n/broken\n');

/** @type {string[]} */
let asked = [];
/** @type {Record<string, http.RequestListener>} */
let replies = {};
const server = http.createServer((request, response) => {
  asked.push(String(request.url));
  (replies[String(request.url)] ?? replies.any)(request, response);
});
const send = (/** @type {string} */ body, status = 200) =>
  /** @type {http.RequestListener} */ (
    (_, response) => void response.writeHead(status, { 'Content-Length': body.length }).end(body)
  );

/** @type {{ host: string, port: number }} */
let target;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  target = { host: '127.0.0.1', port };
});
beforeEach(() => {
  asked = [];
  replies = { '/short': send('ok'), '/long': send('x'.repeat(300_000)), '/broken': send('', 500), any: send('ok') };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

/** @param {Partial<Order>} order */
const start = (order) =>
  startLoad({ target, rate: 300, maxConnections: 50, timeoutMs: 5000, paths: [['/']], ...order });
/** @param {Partial<Order>} order with a count */
const seenOf = async (order) => (await (await start(order)).ended).all();
/** As many connections, so that none is missing while this process stalls. @param {number} count */
const inTurn = (count) => seenOf({ count, maxConnections: count, inTurn: { file, first: 1 } });

test('a file of paths is requested in turn from the line asked for, and what is not 200 is shown', async () => {
  const { p99Ms, failures, ...seen } = await inTurn(150);
  expect(asked[0]).toBe('/long');
  const times = ['/short', '/long', '/broken'].map((path) => asked.filter((one) => one === path).length);
  expect(times).toEqual([50, 50, 50]);
  expect(seen).toMatchObject({ asked: 150, ok: 100, otherErrors: 50 });
  expect(p99Ms).toBeGreaterThan(0);
  expect([failures.length, failures[0]]).toEqual([20, expect.stringMatching(/ \/broken: 500/)]);
});

test('sends again, on a new connection, what was sent on an idle one that the server closed', async () => {
  const used = new Set();
  replies.any = (request, response) => {
    if (used.has(request.socket)) return request.socket.destroy(); // nothing was answered: as if it had been closed before
    used.add(request.socket);
    return setTimeout(() => send('ok')(request, response), 20);
  };
  const seen = await seenOf({ rate: 500, count: 200, maxConnections: 5000, resend: true });
  expect(seen).toMatchObject({ asked: 200, failed: 0 });
  expect(asked.length).toBeGreaterThan(used.size);
  expect((await seenOf({ rate: 500, count: 200, maxConnections: 5000 })).failed).toBeGreaterThan(0);
});

test('counts a request that is never answered as failed, on a used connection too', async () => {
  replies.any = (request, response) => asked.length === 4 || send('ok')(request, response);
  const load = await start({ rate: 20, resend: true, timeoutMs: 1500 });
  while (asked.length < 6) await new Promise((resolve) => void setImmediate(resolve));
  const { asked: all, ok, failed } = (await load.stop()).all();
  expect([all - ok, failed]).toEqual([1, 1]);
});

test('fails a request when every connection is busy, and reports it as unsent', async () => {
  replies.any = () => {};
  expect(await seenOf({ count: 3, maxConnections: 1, timeoutMs: 300 })).toMatchObject({ failed: 3, unsent: 2 });
});

const link = '<?page=1&count=2>; rel="first"';
test.each([
  [0, link],
  [1, `<?after=2&count=2>; rel="next", ${link}`],
  [1, ''],
])('counts %i wrong bodies of a list whose Link header should be "%s"', async (wrongBodies, wanted) => {
  replies.any = (_, response) => void response.setHeader('Link', link).setHeader('Content-Length', '2').end('[]');
  expect(await seenOf({ count: 1, digests: { '/': hash('sha256', `${wanted}[]`) } })).toMatchObject({ wrongBodies });
});

test('counts every refusal of a fleet, and shows only the first', async () => {
  const statuses = [200, 503, 502];
  let sent = 0;
  replies['/products?count=20000'] = send('[{"id":1}]');
  replies.any = (request, response) => send('', statuses[sent++ % statuses.length])(request, response);
  const generator = path.join(__dirname, '../../lab/machines/constant-load.js');
  const child = spawn(process.execPath, [generator, `http://127.0.0.1:${target.port}`, '500']);
  let last = { sent: 0, failures: [''] };
  for await (const line of readline.createInterface({ input: child.stdout })) {
    last = JSON.parse(line);
    if (last.sent >= 150 && !child.killed) child.kill('SIGTERM');
  }
  const of = (/** @type {number} */ place) => Math.ceil((sent - place) / statuses.length);
  expect(last).toMatchObject({ asked: sent, ok: of(0), shed: of(1), otherErrors: of(2), unsent: 0 });
  expect(last.failures).toHaveLength(20);
});

test('what was measured is counted by outcome, interval and kind', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index);
  const observed = new Observed({
    dueMs: [...hundred.map((index) => 1000 + index * 10), 2000, 2010, 2020],
    tookMs: [...hundred, 7, 9, 9],
    status: [...Array(100).fill(200), 503, 0, 200],
    kind: [...Array(100).fill(0), 1, 1, 1],
    flags: [...Array(100).fill(0), flagBits.noRetryAfter, 0, flagBits.wrongBody],
  });
  const flagged = { wrongBodies: 1, withoutRetryAfter: 1, shedMaxMs: 7, maxMs: 99 };
  expect(observed.all()).toMatchObject({ asked: 103, ok: 101, shed: 1, failed: 1, otherErrors: 0, ...flagged });
  expect(observed.between(1000, 1500).asked).toBe(50);
  expect(observed.all(1).asked).toBe(3);
  expect(observed.between(1000, 2000).p99Ms).toBe(98); // of the replies, not of the refusals
  expect(observed.slowerThan(89, 1000, 3000)).toBe(10);
  expect(observed.lastErrorAfterMs(1500)).toBe(510);
});
