'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createRandom } = require('../../../scripts/generate/random');
const { startService, until } = require('../../helpers/app');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');
const { wrongIn } = require('../../helpers/readings');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, prepareWrites } = require('../../helpers/writer');

const SEED = 20261128;
const PRODUCTS = 60;
/** The second folder lacks the products after this one. */
const FEWER = 50;
const WRITES = 25;

/** @type {Awaited<ReturnType<typeof createLoaded>>} */
let loaded;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {ReturnType<typeof startWorker> & { call: ReturnType<typeof callerOf> }} */
let writer;
let [dir, key, number] = ['', '', 0];
const below = createRandom(SEED);
/** Products that answered requests have hidden. @type {Set<number>} */
const hidden = new Set();
const folder = (/** @type {string} */ name) => path.join(dir, name);
/** @param {string} sql */
const query = async (sql) => (await loaded.client.query(sql)).rows;
const cursor = async () => (await query("SELECT era || '.' || seq AS cursor FROM catalog_log.head"))[0].cursor;

/** @param {string[]} words of the loader */
async function run(...words) {
  const { status, said } = await loaded.load(...words);
  expect(`${status} ${said}`).toMatch(/^0 /);
}

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hidden-'));
  loaded = await createLoaded();
  await generateFiles(folder('all'), PRODUCTS);
  await generateFiles(folder('fewer'), FEWER);
  await run('load', folder('all'));
  key = await prepareWrites(loaded);
  app = await startService({ DATABASE_URL: loaded.apiDsn, VERSION_POLL_MS: 50 });
  await startWriterAgain();
}, 240_000);
afterAll(async () => {
  writer?.child.kill('SIGKILL');
  await app?.close();
  await loaded?.drop();
  fs.rmSync(dir, { recursive: true });
});

async function startWriterAgain() {
  const settings = {
    WRITE_PORT: await freePort(),
    WRITE_ADMIN_PORT: await freePort(),
    WRITE_DATABASE_URL: loaded.writerDsn,
  };
  const started = startWorker({ ...settings, LOG_LEVEL: 'warn' }, 'writer/index.js');
  await once(started.child, 'message');
  writer = Object.assign(started, { call: callerOf(`http://127.0.0.1:${settings.WRITE_PORT}`, key) });
}

/** Repeats a request with its key until a writer answers it. @param {string} method @param {string} target @param {object} [body] */
async function insist(method, target, body) {
  const own = { 'Idempotency-Key': `hidden-${(number += 1)}`, ...(method === 'DELETE' && { 'If-Match': '*' }) };
  let status = 0;
  await until(async () => {
    ({ status } = await writer.call(method, target, body, own).catch(() => ({ status: 503 })));
    return status !== 503 && status !== 409;
  });
  expect([200, 201, 204, 404]).toContain(status);
  return status;
}

async function writeOne() {
  const ids = (await query('SELECT id FROM catalog.products ORDER BY id')).map(({ id }) => id);
  const id = ids[below(ids.length)];
  const kind = below(10);
  if (kind < 4) {
    await insist('POST', `/products/${id}/hide`);
    hidden.add(id);
  } else if (kind < 6) {
    const other = [...hidden][below(hidden.size)] ?? id;
    if ((await insist('POST', `/products/${other}/publish`)) === 200) hidden.delete(other);
  } else if (kind < 8)
    await insist('PATCH', `/products/${id}`, { name: `Name ${number}`, related: [ids[below(ids.length)], ids[0]] });
  else if (kind === 8) await insist('DELETE', `/products/${id}`);
  else {
    const skus = await query('SELECT id FROM catalog.skus ORDER BY id');
    await loaded.stock({ sku: skus[below(skus.length)].id, amount: below(9) - 6, adjusts: below(2) === 0 });
  }
}

/** Nothing that is hidden is in any reply, all else is, and the checks of a served catalog hold. */
async function expectRight() {
  expect(await wrongIn(app, { client: loaded.client, cursor: await cursor(), hidden })).toEqual([]);
  await run('verify', '--served');
}

const STEPS = /** @type {[string, () => Promise<void>][]} */ ([
  ['a load of the same files', () => run('load', folder('all'), '--again', '--drop-writes')],
  ['an unswap', () => run('unswap', '--drop-writes')],
  [
    'an export that is loaded as of its cursor',
    async () => {
      await run('export', folder('exported'));
      await run('load', folder('exported'), '--as-of', await cursor());
    },
  ],
  ['a load of files that lack products', () => run('load', folder('fewer'), '--drop-writes')],
  ['an unswap that brings them back', () => run('unswap', '--drop-writes')],
  [
    'writes during a load',
    async () => {
      const load = run('load', folder('all'), '--again', '--as-of', await cursor());
      for (let left = WRITES; left > 0; left -= 1) await writeOne();
      await load;
    },
  ],
  [
    'kills of the writer',
    async () => {
      for (let kills = 5; kills > 0; kills -= 1) {
        const writes = Promise.all(Array.from({ length: 5 }, writeOne));
        await new Promise((resolve) => setTimeout(resolve, below(40)));
        writer.child.kill('SIGKILL');
        await startWriterAgain();
        await writes;
      }
    },
  ],
]);

describe(`after random writes (seed ${SEED})`, () => {
  test.each(STEPS)(
    'and %s, readers find all but hidden products',
    async (_, step) => {
      for (let left = WRITES; left > 0; left -= 1) await writeOne();
      await expectRight();
      await step();
      await expectRight();
      expect(hidden.size).toBeGreaterThan(3);
    },
    240_000,
  );
});

test('products that are only hidden are no writes that a load would lose', async () => {
  await run('load', folder('all'), '--again', '--drop-writes');
  await insist('POST', '/products/3/hide');
  await insist('POST', '/products/4/publish');
  hidden.add(3).delete(4);
  await run('load', folder('all'), '--again');
  await expectRight();
  await run('unswap');
  await expectRight();
  await insist('PATCH', '/products/3', { name: 'Written' });
  expect((await loaded.load('load', folder('all'), '--again')).said).toMatch(
    /1 product and 0 operations of stock were written/,
  );
}, 240_000);

test('a plan that came due while no writer ran is carried out by the next one', async () => {
  await insist('POST', '/products/5/publish');
  await insist('POST', '/products/6/hide');
  const at = new Date(Date.now() + 1500).toISOString();
  await insist('POST', '/products/5/hide', { from: at });
  await insist('POST', '/products/6/publish', { from: at });
  writer.child.kill('SIGKILL');
  await until(() => Date.now() > Date.parse(at) + 500);
  await startWriterAgain();
  hidden.add(5).delete(6);
  await until(async () => (await query('SELECT FROM catalog.hidden_documents WHERE id = 5')).length === 1);
  await expectRight();
}, 60_000);
