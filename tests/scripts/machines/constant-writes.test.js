'use strict';
const { spawn } = require('node:child_process');
const http = require('node:http');
const path = require('node:path');
const readline = require('node:readline');
const { json } = require('node:stream/consumers');

/*
 * The clients that write during an incident, against a writer that breaks its promises on purpose.
 */

const program = path.join(__dirname, '../../lab/machines/constant-writes.js');

/** @typedef {'honest' | 'silent' | 'loses' | 'doubles'} Manner silent: it does the write, and answers only the repeat */

/** @param {Manner} manner */
async function startWriter(manner) {
  const [quantities, reasons, keys] = [new Map(), new Map(), new Set()];
  let writes = 0;
  /** @param {http.IncomingMessage} request @returns {Promise<object | null>} null: no answer */
  async function reply(request) {
    const { pathname } = new URL(String(request.url), 'http://x');
    const product = Number(pathname.split('/')[2]);
    if (request.method === 'GET' && pathname.endsWith('/stock'))
      return { styles: [{ skus: [{ sku: product, quantity: quantities.get(product) ?? 5 }] }] };
    if (request.method === 'GET') {
      const all = [...(reasons.get(product) ?? []), ''].map((reason, at, { length }) => ({
        reason,
        revision: length - at,
      }));
      const before = Number(new URL(String(request.url), 'http://x').searchParams.get('before') ?? Infinity);
      const page = all.filter(({ revision }) => revision < before).slice(0, 3);
      return { revisions: page, before: page.at(-1)?.revision === 1 ? null : page.at(-1)?.revision };
    }
    const body = /** @type {any} */ (await json(request));
    const key = String(request.headers['idempotency-key']);
    if (keys.has(key)) return {};
    keys.add(key);
    writes += 1;
    const times = writes % 7 > 0 || manner === 'honest' || manner === 'silent' ? 1 : manner === 'loses' ? 0 : 2;
    for (let time = 0; time < times; time += 1)
      if (body.adjust) quantities.set(body.adjust[0][0], (quantities.get(body.adjust[0][0]) ?? 5) + body.adjust[0][1]);
      else reasons.set(product, [request.headers['x-reason'], ...(reasons.get(product) ?? [])]);
    return manner === 'silent' && writes % 5 === 0 ? null : {};
  }
  const server = http.createServer(async (request, response) => {
    const body = await reply(request);
    if (body) response.end(JSON.stringify(body));
    else request.socket.destroy();
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  return server;
}

/** @param {Manner} manner @returns {Promise<any>} the last line, of some dozen writes */
async function run(manner) {
  const server = await startWriter(manner);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const child = spawn(process.execPath, [program, `http://127.0.0.1:${port}`, 'key', '500']);
  let last = { acknowledged: 0 };
  for await (const line of readline.createInterface({ input: child.stdout })) {
    last = JSON.parse(line);
    if (last.acknowledged >= 40 && !child.killed) child.kill('SIGTERM');
  }
  server.close();
  server.closeAllConnections();
  return last;
}

test('finds nothing lost or doubled at a correct writer, though some writes are repeated', async () => {
  expect(await run('honest')).toMatchObject({ repeated: 0, lost: 0, doubled: 0, failures: [] });
  const silent = await run('silent');
  expect(silent).toMatchObject({ lost: 0, doubled: 0, failures: [] });
  expect(silent.repeated).toBeGreaterThan(3);
});

test('counts writes that were acknowledged and are lost, or were done twice', async () => {
  const lost = await run('loses');
  expect([lost.lost > 3, lost.doubled]).toEqual([true, 0]);
  const doubled = await run('doubles');
  expect([doubled.lost, doubled.doubled > 3]).toEqual([0, true]);
});
