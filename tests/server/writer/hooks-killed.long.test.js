'use strict';

const { once } = require('node:events');

const { until } = require('../../helpers/app');
const { readChanges } = require('../../helpers/changes');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { addHook, readHook, startReceiver } = require('../../helpers/receiver');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, prepareWrites } = require('../../helpers/writer');

const PRODUCTS = 40;
const CHANGES = 10_000;
const KILLS = 20;

/** @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver */
/** @typedef {ReturnType<typeof startWorker> & { port: number, adminPort: number }} Writer */

/** @type {import('../../helpers/database').TestCatalog} */
let catalog;
/** @type {string} */
let key;
/** @type {Writer[]} */
let writers = [];
beforeAll(async () => {
  catalog = await createCatalog(manyProducts(PRODUCTS));
  key = await prepareWrites(catalog, { name: 'all', scopes: ['content', 'changes'] });
  const ports = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  writers = await Promise.all([startAt(ports[0], ports[1]), startAt(ports[2], ports[3])]);
}, 60_000);
afterAll(async () => {
  for (const { child, exited } of writers) {
    child.kill('SIGKILL');
    await exited;
  }
  await catalog?.drop();
});

/** @type {Receiver[]} */
let receivers = [];
afterEach(async () => {
  await catalog.client.query('DELETE FROM catalog_meta.hooks');
  for (const receiver of receivers) await receiver.close();
});

/** @param {number} port @param {number} adminPort @returns {Promise<Writer>} */
async function startAt(port, adminPort) {
  const settings = { WRITE_PORT: port, WRITE_ADMIN_PORT: adminPort, WRITE_DATABASE_URL: catalog.writerDsn };
  const writer = startWorker({ ...settings, LOG_LEVEL: 'warn' }, 'writer/index.js');
  await once(writer.child, 'message');
  return { ...writer, port, adminPort };
}

/** @returns {Promise<number>} the place of the writer that sends, once one does */
async function leader() {
  let index = -1;
  await until(async () => (index = await findLeader()) >= 0);
  return index;
}

/** Kills a writer, and starts it again. @param {number} index */
async function replace(index) {
  const { child, exited, port, adminPort } = writers[index];
  child.kill('SIGKILL');
  await exited;
  writers.splice(index, 1, await startAt(port, adminPort));
  return index;
}

async function findLeader() {
  const shown = writers.map(async ({ adminPort }) => {
    const metrics = await fetch(`http://127.0.0.1:${adminPort}/metrics`, { signal: AbortSignal.timeout(1000) });
    return /^catalog_hooks_leader 1/m.test(await metrics.text());
  });
  return (await Promise.all(shown.map((each) => each.catch(() => false)))).indexOf(true);
}

/** @param {number} index @param {{ count: number }} done counts what was acknowledged @param {() => boolean} isOver */
async function writeTo(index, done, isOver) {
  for (let turn = 0; !isOver(); turn += 1) {
    const call = callerOf(`http://127.0.0.1:${writers[(index + turn) % 2].port}`, key);
    const id = idOf(1 + ((turn * 7 + index) % PRODUCTS));
    const reply = await call('PATCH', `/products/${id}`, { name: `${index}-${turn}` }).catch(() => null);
    if (reply?.status === 200) done.count += 1;
    else await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/** @param {Receiver} receiver an id always has the same body, and each was signed */
function expectSameRepeats({ requests, state }) {
  const bodies = new Map(requests.map(({ id, body }) => [id, body]));
  expect(requests.filter(({ id, body }) => bodies.get(id) !== body)).toEqual([]);
  expect(requests.filter(({ changes }) => changes.length > 100)).toEqual([]);
  expect(state.refused).toBe(0);
}

const feed = async () => {
  const call = callerOf(`http://127.0.0.1:${writers[0].port}`, key);
  return { head: (await call('GET', '/changes?after=head')).body.head, call };
};

test('receivers get 10,000 changes in order and without a gap over 20 kills of the sender', async () => {
  const { head: begin } = await feed();
  const failing = await startReceiver((_, index) => {
    const answers = /** @type {const} */ ([500, 302, 'broken', 503]);
    return index % 7 === 3 ? answers[(index >> 3) % 4] : 200;
  });
  const slow = await startReceiver();
  slow.state.waitMs = 300;
  const silent = await startReceiver((_, index) => (index === 1 ? 'silent' : 200));
  const down = await startReceiver();
  receivers = [failing, slow, silent, down];
  for (const { url } of receivers) await addHook(catalog.client, url);

  const done = { count: 0 };
  let isOver = false;
  const writing = Array.from({ length: 6 }, (_, index) => writeTo(index, done, () => isOver));
  const killed = new Set();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await until(() => done.count >= (kill * CHANGES) / (KILLS + 1) && failing.requests.length >= kill * 2);
    if (kill === 5) await down.close();
    if (kill === 12) await down.open();
    killed.add(await replace(await leader()));
  }
  await until(() => done.count >= CHANGES);
  isOver = true;
  await Promise.all(writing);
  const { call } = await feed();
  const { changes, next } = await readChanges(call, begin);
  expect(changes.length).toBeGreaterThanOrEqual(CHANGES);
  await until(async () => {
    const { rows } = await catalog.client.query('SELECT cursor FROM catalog_meta.hooks');
    return rows.every(({ cursor }) => cursor === next);
  });
  for (const receiver of receivers) {
    expect(receiver.taken()).toEqual(changes);
    expectSameRepeats(receiver);
  }
  expect(killed.size).toBe(2);
}, 600_000);

test('a sender that stands still is replaced, and when it goes on it sends nothing', async () => {
  const { head: begin } = await feed();
  const receiver = await startReceiver();
  receivers = [receiver];
  const id = await addHook(catalog.client, receiver.url);
  const index = await leader();
  const [frozen, other] = [writers[index], writers[1 - index]];
  const call = callerOf(`http://127.0.0.1:${other.port}`, key);
  const rename = (/** @type {string} */ name) => call('PATCH', `/products/${idOf(1)}`, { name });
  await rename('Before');
  // An answer that is not noted yet is asked for once more, by right: the frozen sender has noted its last one.
  const { head } = await feed();
  await until(async () => (await readHook(catalog.client, id)).cursor === head);
  frozen.child.kill('SIGSTOP');
  await rename('Meanwhile');
  await until(() => receiver.taken().length === 2);
  frozen.child.kill('SIGCONT');
  await until(async () => {
    const metrics = await fetch(`http://127.0.0.1:${frozen.adminPort}/metrics`);
    return /^catalog_hooks_leader 0/m.test(await metrics.text());
  });
  await rename('After');
  const { changes, next } = await readChanges(call, begin);
  await until(async () => (await readHook(catalog.client, id)).cursor === next);
  expect(receiver.requests.flatMap((request) => request.changes)).toEqual(changes);
}, 60_000);
