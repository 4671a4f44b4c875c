'use strict';

const { once } = require('node:events');

const { until } = require('../../helpers/app');
const { ndjson, openBulk, sendBulk, smallProduct } = require('../../helpers/bulk');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { failedChecks, serveWriter, startWriter } = require('../../helpers/writer');

const served = serveWriter(undefined, { PG_LOCK_TIMEOUT_MS: 500 });
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

const LINES = 400;
/** @param {string} key @param {number} [count] lines, each of which makes a product of another name */
const creations = (key, count = LINES) =>
  Array.from({ length: count }, (_, index) => ({ op: 'create', body: smallProduct(`${key} ${index + 1}`) }));

/** @param {string} key @returns {Promise<number[]>} the numbers of the lines whose products exist, one for each product */
async function made(key) {
  const { rows } = await served.catalog.client.query(
    'SELECT name FROM catalog.products WHERE name LIKE $1 ORDER BY id',
    [`${key} %`],
  );
  return rows.map(({ name }) => Number(name.split(' ')[1]));
}

/** Sends all of it again, until nothing is in its way. @param {string} url @param {string} key @param {object[]} lines */
async function sendAgain(url, key, lines) {
  let reply;
  do reply = await sendBulk(url, served.key, key, lines);
  while (reply.status === 409 || reply.status === 0);
  return reply;
}

/** Everything is done, once. @param {string} key @param {{ lines: any[] }} reply */
async function expectWhole(key, { lines }) {
  expect(lines.at(-1)).toMatchObject({ done: true, lines: LINES, failed: 0 });
  expect((await made(key)).sort((a, b) => a - b)).toEqual(Array.from({ length: LINES }, (_, index) => index + 1));
}

/** @typedef {ReturnType<typeof openBulk>} Bulk */
test.each(
  /** @type {[where: string, until: (bulk: Bulk, text: string) => Promise<unknown>][]} */ ([
    ['before its first answer', (bulk, text) => bulk.write(text.slice(0, 2000))],
    [
      'in a line',
      async (bulk, text) => {
        await bulk.write(text.slice(0, text.length / 2));
        await until(() => bulk.lines().length > 10);
      },
    ],
    [
      'between two lines',
      async (bulk, text) => {
        await bulk.write(text.slice(0, text.indexOf('\n', text.length / 2) + 1));
        await until(() => bulk.lines().length > LINES / 3);
      },
    ],
    [
      'after its last line',
      async (bulk, text) => {
        bulk.request.end(text);
        await until(() => bulk.lines().length > LINES / 2);
      },
    ],
  ]),
)('a request that is cut %s goes on with the same key, and does nothing twice', async (where, send) => {
  const key = where.replaceAll(' ', '-');
  const lines = creations(key);
  const bulk = openBulk(served.app.url, served.key, key);
  await send(bulk, ndjson(lines));
  bulk.request.destroy();
  const { lines: answered } = await bulk.over();
  const reply = await sendAgain(served.app.url, key, lines);
  await expectWhole(key, reply);
  expect(reply.lines.slice(0, answered.length)).toEqual(answered);
});

test('a writer that is killed in the middle of a request does each answered line once', async () => {
  const port = await freePort(2);
  const url = `http://127.0.0.1:${port}`;
  const settings = { WRITE_PORT: port, WRITE_ADMIN_PORT: port + 1, WRITE_DATABASE_URL: served.catalog.writerDsn };
  const lines = creations('killed');
  /** @type {any[]} */
  let answered = [];
  for (const least of [1, LINES / 4, LINES / 2]) {
    const writer = startWorker({ ...settings, LOG_LEVEL: 'warn' }, 'writer/index.js');
    await once(writer.child, 'message');
    const bulk = openBulk(url, served.key, 'killed');
    bulk.request.end(ndjson(lines));
    await until(() => bulk.lines().length > least);
    writer.child.kill('SIGKILL');
    const reply = await bulk.over();
    expect(reply.lines.slice(0, answered.length)).toEqual(answered);
    answered = reply.lines;
    await writer.exited;
  }
  const reply = await sendAgain(served.app.url, 'killed', lines);
  await expectWhole('killed', reply);
  expect(reply.lines.slice(0, answered.length)).toEqual(answered);
});

test('a writer that stops ends the reply without its last line, and the next one goes on', async () => {
  const app = await startWriter(served.catalog.writerDsn);
  const lines = creations('stopped');
  const bulk = openBulk(app.url, served.key, 'stopped');
  await bulk.write(ndjson(lines.slice(0, 100)));
  await until(() => bulk.lines().length === 100);
  const closed = app.close();
  await bulk.write(`${JSON.stringify(lines[100])}\n`);
  await until(() => bulk.lines().length > 100);
  bulk.request.end();
  const reply = await bulk.over();
  expect(reply.lines.at(-1)).toMatchObject({ status: 503, problem: { type: 'urn:catalog:problem:unavailable' } });
  await closed;
  await expectWhole('stopped', await sendAgain(served.app.url, 'stopped', lines));
});

test('no line of a product is written behind one that could not be written', async () => {
  const { client } = served.catalog;
  const name = async () => (await served.call('GET', '/products/4')).body.name;
  const before = await name();
  await client.query('SELECT pg_advisory_lock(catalog_log.gate())'); // as a swap does
  const lines = Array.from({ length: 300 }, (_, index) => ({ op: 'patch', id: 4, body: { name: `paused ${index}` } }));
  const { status, lines: answers } = await sendBulk(served.app.url, served.key, 'paused', lines);
  expect(status).toBe(200);
  expect(answers.map((each) => [each.line, each.problem.type])).toEqual([[1, 'urn:catalog:problem:writes-paused']]);
  await client.query('SELECT pg_advisory_unlock(catalog_log.gate())');
  expect(await name()).toBe(before);
  const again = await sendBulk(served.app.url, served.key, 'paused', lines);
  expect(again.lines.at(-1)).toMatchObject({ done: true, failed: 0 });
  expect(await name()).toBe('paused 299');
});

test('a line of more than 1 MB ends the request behind the answers to those before it', async () => {
  const bulk = openBulk(served.app.url, served.key, 'long');
  await bulk.write(ndjson([{ op: 'patch', id: 4, body: { slogan: 'short' } }]));
  const piece = Buffer.alloc(2 ** 16, 'x');
  for (let sent = 0; sent < 2 ** 21 && bulk.lines().length < 2; sent += piece.length) await bulk.write(piece);
  const { lines } = await bulk.over();
  expect(lines.map(({ line, status }) => [line, status])).toEqual([
    [1, 200],
    [2, 413],
  ]);
  expect((await served.call('GET', '/products/4')).body.slogan).toBe('short');
});

/** Nothing has moved for many looks. @param {() => number} read */
function hasStopped(read) {
  let [last, looks] = [-1, 0];
  return () => {
    const now = read();
    looks = now === last ? looks + 1 : 0;
    last = now;
    return looks > 30;
  };
}

test('a client that does not read stops its own request, and it goes on once the client reads', async () => {
  const bulk = openBulk(served.app.url, served.key, 'unread');
  const responded = once(bulk.request, 'response');
  await bulk.write('{}\n');
  const [response] = await responded;
  response.pause();
  const [count, line] = [40_000, `${' '.repeat(1000)}{}\n`]; // more than the buffers of both sockets, as are the answers
  bulk.request.end(line.repeat(count - 1));
  const socket = /** @type {import('node:net').Socket} */ (bulk.request.socket);
  await until(hasStopped(() => socket.bytesWritten - socket.writableLength));
  expect(socket.writableLength).toBeGreaterThan(2 ** 20);
  response.resume();
  const { lines } = await bulk.over();
  expect(lines.at(-1)).toMatchObject({ done: true, lines: count, failed: count });
}, 120_000);
