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
const { flagBits, Observed, Samples } = require('../../lab/testbed/loadgen/observed');
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
  replies = { '/short': send('ok'), '/long': send('x'.repeat(300_000)), '/broken': send('', 500) };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

/** @param {Partial<Order>} order @returns {Promise<Awaited<ReturnType<typeof startLoad>>>} */
const start = (order) => startLoad({ target, rate: 300, maxConnections: 50, timeoutMs: 5000, ...order });

describe('a file of paths', () => {
  /** @param {number} count with as many connections, so that none is missing while this process stalls */
  const inTurn = async (count) => (await start({ count, maxConnections: count, inTurn: { file, first: 1 } })).ended;

  test('is requested in turn, and every reply that is not a 200 is reported', async () => {
    const observed = await inTurn(150);
    expect(asked).toHaveLength(150);
    const times = ['/short', '/long', '/broken'].map((path) => asked.filter((one) => one === path).length);
    expect(times).toEqual([50, 50, 50]);
    expect(observed.all()).toMatchObject({ asked: 150, ok: 100, otherErrors: 50 });
    expect(observed.all().p99Ms).toBeGreaterThan(0);
    expect(observed.failures).toHaveLength(20);
    expect(observed.failures[0]).toMatch(/ \/broken: 500/);
  });

  test('is requested from the line that was asked for', async () => {
    await inTurn(1);
    expect(asked).toEqual(['/long']);
  });

  test('continues on another connection after one that broke under a request, which counts as failed', async () => {
    replies['/broken'] = (request) => void request.socket.destroy();
    const observed = await inTurn(300);
    expect(observed.all()).toMatchObject({ asked: 300, ok: 200, failed: 100, unsent: 0 });
    expect(asked).toHaveLength(300);
  });
});

test('sends a request again when a server closed the idle connection that it was sent on', async () => {
  const counts = async (/** @type {boolean} */ resend) => {
    const used = new Set();
    let closed = false;
    replies = {
      any: (request, response) => {
        if (closed || !used.has(request.socket)) return used.add(request.socket) && send('ok')(request, response);
        closed = true;
        request.socket.destroy(); // nothing was answered: for a client, as if it had been closed before
      },
    };
    const load = await start({ paths: [['/']], maxConnections: 5000, resend });
    while (!closed) await new Promise((resolve) => void setImmediate(resolve));
    const { failed, again } = (await load.stop()).all();
    return { failed, again };
  };
  expect(await counts(true)).toEqual({ failed: 0, again: 1 });
  expect(await counts(false)).toEqual({ failed: 1, again: 0 });
});

test('sends it again on a new connection, because all idle ones may have been closed', async () => {
  const used = new Set();
  replies = {
    any: (request, response) => {
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      return setTimeout(() => send('ok')(request, response), 20);
    },
  };
  const load = await start({ rate: 500, count: 200, paths: [['/']], maxConnections: 5000, resend: true });
  expect((await load.ended).all()).toMatchObject({ asked: 200, failed: 0 });
  expect(asked.length).toBeGreaterThan(used.size);
});

describe.each([
  ['in a measurement', { inTurn: { file, first: 0 } }],
  ['under a fault', { paths: [['/short']] }],
])('%s', (_, order) => {
  test('the first request is sent at once, not one interval later', async () => {
    const endlessMs = 100_000;
    const received = once(server, 'request', { signal: AbortSignal.timeout(10_000) });
    const load = await start({ ...order, rate: 1 / endlessMs });
    await received.finally(() => load.stop());
    expect(asked).toEqual(['/short']);
  });

  test('an interruption ends it', async () => {
    const interruption = new AbortController();
    const load = await startLoad(
      { target, rate: 100, maxConnections: 5, timeoutMs: 5000, ...order },
      interruption.signal,
    );
    interruption.abort();
    await expect(load.ended).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('counts a request that is never answered as failed, on a used connection too', async () => {
  replies = { any: (request, response) => asked.length === 4 || send('ok')(request, response) };
  const load = await start({ rate: 20, paths: [['/']], resend: true, timeoutMs: 300 });
  while (asked.length < 6) await new Promise((resolve) => void setImmediate(resolve));
  const { asked: all, ok, failed } = (await load.stop()).all();
  expect([all - ok, failed]).toEqual([1, 1]);
});

test('fails a request when every connection is busy, and reports it as unsent', async () => {
  replies = { any: () => {} };
  const load = await start({ count: 3, paths: [['/']], maxConnections: 1, timeoutMs: 300 });
  expect((await load.ended).all()).toMatchObject({ asked: 3, failed: 3, unsent: 2 });
});

test('counts a reply without a Content-Length as failed', async () => {
  replies = { any: (_, response) => void response.write('in', () => response.end('chunks')) };
  const load = await start({ count: 2, paths: [['/']] });
  expect((await load.ended).all()).toMatchObject({ asked: 2, failed: 2 });
});

test('compares bodies by digest, and a list with another Link header is a wrong body', async () => {
  const link = '<?page=1&count=2>; rel="first"';
  replies = { any: (_, response) => void response.setHeader('Link', link).setHeader('Content-Length', '2').end('[]') };
  const wrong = await Promise.all(
    [link, `<?after=2&count=2>; rel="next", ${link}`, ''].map(async (wanted) => {
      const load = await start({ count: 1, paths: [['/']], digests: { '/': hash('sha256', `${wanted}[]`) } });
      return (await load.ended).all().wrongBodies;
    }),
  );
  expect(wrong).toEqual([0, 1, 1]);
});

test('counts every refusal of a fleet, and shows only the first', async () => {
  const statuses = [200, 503, 502];
  let sent = 0;
  replies = {
    '/products?count=20000': send('[{"id":1}]'),
    any: (request, response) => send('', statuses[sent++ % statuses.length])(request, response),
  };
  const generator = path.join(__dirname, '../../lab/machines/constant-load.js');
  const child = spawn(process.execPath, [generator, `http://127.0.0.1:${target.port}`, '500']);
  let last = { sent: 0, failed: 0, refused: 0, unsent: 0, failures: [''] };
  for await (const line of readline.createInterface({ input: child.stdout })) {
    last = JSON.parse(line);
    if (last.sent >= 150 && !child.killed) child.kill('SIGTERM');
  }
  const of = (/** @type {number} */ place) => Math.ceil((sent - place) / statuses.length);
  expect(last).toMatchObject({ sent, failed: of(1) + of(2), refused: of(1), unsent: 0 });
  expect(last.failures).toHaveLength(20);
});

describe('what a load measured', () => {
  const samples = new Samples();
  for (let index = 0; index < 100; index += 1) samples.add(1000 + index * 10, index, 200, 0, 0);
  samples.add(2000, 7, 503, 1, flagBits.noRetryAfter);
  samples.add(2010, 9, 0, 1, 0);
  samples.add(2020, 9, 200, 1, flagBits.wrongBody);
  const observed = new Observed(samples.take());

  test('is counted by the outcome of each request', () => {
    expect(observed.all()).toMatchObject({
      asked: 103,
      ok: 101,
      shed: 1,
      failed: 1,
      otherErrors: 0,
      wrongBodies: 1,
      withoutRetryAfter: 1,
      shedMaxMs: 7,
      maxMs: 99,
    });
  });

  test('is counted in an interval and for one kind', () => {
    expect(observed.between(1000, 1500).asked).toBe(50);
    expect(observed.all(1).asked).toBe(3);
    expect(observed.slowerThan(89, 1000, 3000)).toBe(10);
    expect(observed.lastErrorAfterMs(1500)).toBe(510);
    expect([2000, 2005, 2008].map((fromMs) => observed.shedDuring(fromMs, 3000))).toEqual([1, 1, 0]);
  });

  test('takes p99 from the replies, not from the refusals', () => {
    expect(observed.between(1000, 2000).p99Ms).toBe(98);
  });
});

test('keeps the first samples and those beyond the first capacity', () => {
  const count = 65_536 * 2 + 1;
  const samples = new Samples();
  for (let index = 0; index < count; index += 1) samples.add(index, index, 200, 0, 0);
  const observed = new Observed(samples.take());
  expect(observed.all()).toMatchObject({ asked: count, ok: count, maxMs: count - 1, p99Ms: 129_762 });
  expect(observed.between(0, 1000)).toMatchObject({ asked: 1000, p99Ms: 989 });
});
