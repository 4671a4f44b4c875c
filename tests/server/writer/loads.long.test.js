'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { waitUntil } = require('../../../scripts/lib/wait-until');
const { createRandom } = require('../../../scripts/generate/random');
const { contentsOf, repeat } = require('../../helpers/by-hand');
const { createLoaded, generateFiles } = require('../../helpers/loaded-writer');
const { writeRandomly } = require('../../helpers/random-writes');

const SEED = 20261127;
const PRODUCTS = 60;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loads-'));
const files = path.join(dir, 'files');

/** @type {Awaited<ReturnType<typeof createLoaded>>[]} */
const opened = [];
const open = async () => {
  const loaded = await createLoaded();
  opened.push(loaded);
  return loaded;
};
beforeAll(() => generateFiles(files, PRODUCTS));
afterEach(async () => {
  for (const loaded of opened.splice(0)) await loaded.drop();
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** @param {import('pg').Client} client @param {string} query @returns {Promise<number[]>} the ids of a query */
const idsOf = async (client, query) => (await client.query(query)).rows.map(({ id }) => id);

/**
 * Writes content and stock, one after the other.
 * @param {Awaited<ReturnType<typeof createLoaded>>} loaded @param {ReturnType<typeof import('../../helpers/writer').callerOf>} call
 * @param {number} seed @param {number} writes
 */
async function writeAll({ client, stock }, call, seed, writes) {
  const below = createRandom(seed);
  const skus = await idsOf(client, 'SELECT id FROM catalog.skus WHERE id < 1500000000 ORDER BY id');
  for (const round of [0, 1, 2]) {
    const ids = await idsOf(client, 'SELECT id FROM catalog.products WHERE id NOT IN (1, 7) ORDER BY id LIMIT 30');
    const { refused } = await writeRandomly({
      call,
      below,
      ids,
      writes: writes / 3,
      callers: 1,
      kept: 7,
      name: `${seed}-${round}`,
    });
    expect(refused).toBeLessThan(writes / 5); // a related product was deleted
    const sku = () => skus[below(skus.length)];
    for (let left = 5; left > 0; left -= 1)
      await stock(
        { sku: sku(), amount: below(4) },
        { sku: sku(), amount: below(9) - 6, adjusts: true },
        { sku: sku(), amount: below(9), expected: below(9) },
        { sku: sku(), amount: 0 },
      );
  }
}

test('after 300 random writes verify finds no defect but one that is made', async () => {
  const loaded = await open();
  expect(await loaded.load('load', files)).toMatchObject({ status: 0 });
  await writeAll(loaded, await loaded.serve(), SEED, 300);
  const sound = await loaded.load('verify', '--served');
  expect([sound.status, sound.said.match(/^FAIL.*/gm)]).toEqual([0, null]);
  for (const [damage, title] of [
    ['DELETE FROM catalog.skus WHERE id = (SELECT min(id) FROM catalog.skus)', 'every table has as many rows'],
    [
      'UPDATE catalog.product_documents SET feature_rows = feature_rows + 1 WHERE id = (SELECT max(id) FROM catalog.products)',
      'every table has as many rows',
    ],
    ["DELETE FROM catalog.search_sets WHERE key LIKE 'f:category=%'", 'the search counts as many products'],
    ['UPDATE catalog.loaded_cards SET offer = NULL', 'the lists of the search are what'],
  ]) {
    await loaded.client.query(damage);
    const damaged = await loaded.load('verify', '--served');
    expect(damaged.said).toContain(`FAIL ${title}`);
    expect(damaged.said).not.toContain('unswap');
  }
}, 120_000);

/** Edits the last column, a number, of every third line of a file. @param {string} name @param {(number: number) => number} change */
function edit(name, change) {
  const file = path.join(newer, name);
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const edited = lines.map((line, index) =>
    index % 3 === 1 ? line.replace(/(?<=,"?)\d+(?="?$)/, (number) => `${change(Number(number))}`) : line,
  );
  fs.writeFileSync(file, edited.join('\n'));
}

const newer = path.join(dir, 'newer');
beforeAll(() => {
  fs.cpSync(files, newer, { recursive: true });
  edit('product.csv', (price) => price + 1);
  edit('skus.csv', (quantity) => quantity + 3);
  fs.appendFileSync(
    path.join(newer, 'features.csv'),
    '99999990,3,"Extra","of the files"\n99999991,4,"Extra","of the files"\n',
  );
});

/** @param {Awaited<ReturnType<typeof createLoaded>>} loaded whose writes were replayed, and perhaps others done since */
async function expectAsByHand(loaded) {
  expect((await loaded.load('verify', '--served')).said.match(/^FAIL.*/gm)).toBeNull();
  const byHand = await open();
  expect(await byHand.load('load', newer)).toMatchObject({ status: 0 });
  await repeat(loaded.client, byHand);
  const [done, expected] = [await contentsOf(loaded.client), await contentsOf(byHand.client)];
  for (const table of /** @type {(keyof typeof done)[]} */ (Object.keys(done)))
    expect([table, done[table]]).toEqual([table, expected[table]]);
}

/** @param {import('pg').Client} client */
const cursorOf = async (client) =>
  (await client.query("SELECT era || '.' || seq AS cursor FROM catalog_log.head")).rows[0].cursor;

test('a load with a cursor has what the same writes by hand give', async () => {
  const loaded = await open();
  expect(await loaded.load('load', files)).toMatchObject({ status: 0 });
  const cursor = await cursorOf(loaded.client);
  await writeAll(loaded, await loaded.serve(), SEED + 1, 150);
  const done = await loaded.load('load', newer, '--as-of', cursor);
  expect([done.status, done.said]).toEqual([0, expect.stringContaining(' operations of stock, 0 rejected')]);
  await expectAsByHand(loaded);
}, 120_000);

test('writes during a load, whose loader is killed again and again, are replayed once', async () => {
  const loaded = await open();
  expect(await loaded.load('load', files)).toMatchObject({ status: 0 });
  const cursor = await cursorOf(loaded.client);
  const call = await loaded.serve();
  let isLoading = true;
  const writing = (async () => {
    for (let seed = SEED + 2; isLoading; seed += 1) await writeAll(loaded, call, seed, 30);
  })();
  for (const step of ['copy', 'replay', 'documents', 'search', 'verify', 'verify']) {
    const running = loaded.start('load', newer, '--as-of', cursor);
    const ended = once(running, 'close');
    await Promise.race([ended, untilStep(loaded.client, step)]);
    running.kill('SIGKILL');
    await ended;
  }
  const done = await loaded.load('load', newer, '--as-of', cursor);
  isLoading = false;
  await writing;
  expect([done.status, done.said]).toEqual([0, expect.stringContaining(' operations of stock, 0 rejected')]);
  await expectAsByHand(loaded);
}, 240_000);

/** Awaits that the newest load has finished a step. @param {import('pg').Client} client @param {string} step */
const untilStep = (client, step) =>
  waitUntil(async () => {
    const { rows } = await client.query('SELECT step, replayed_seq FROM catalog_meta.loads ORDER BY id DESC LIMIT 1');
    return step === 'replay' ? rows[0].replayed_seq !== null : rows[0].step === step;
  }, 60_000);

test('a load fails above the allowed number of writes that its files have no place for', async () => {
  const loaded = await open();
  const { client, load, stock } = loaded;
  expect(await load('load', files)).toMatchObject({ status: 0 });
  const cursor = await cursorOf(client);
  const call = await loaded.serve();
  const { rows } = await client.query(
    'SELECT product_id, min(skus.id) AS sku FROM catalog.styles JOIN catalog.skus ON style_id = styles.id WHERE product_id > 7 GROUP BY 1 ORDER BY 1 LIMIT 3',
  );
  const [gone, changed, deleted] = rows.map(({ product_id: id }) => id);
  const fewer = path.join(dir, 'fewer');
  fs.cpSync(files, fewer, { recursive: true });
  const products = path.join(fewer, 'product.csv');
  fs.writeFileSync(products, fs.readFileSync(products, 'utf8').replace(new RegExp(`^"?${gone}"?,.*\n`, 'm'), ''));
  await client.query(
    'UPDATE catalog.related SET related_product_id = $1 WHERE product_id = 7 AND position = (SELECT min(position) FROM catalog.related WHERE product_id = 7)',
    [deleted],
  );

  const written = await Promise.all([
    call('PATCH', `/products/${gone}`, { name: 'Gone' }),
    call('PATCH', `/products/${changed}`, { name: 'Changed', related: [gone, 1] }),
    call('DELETE', `/products/${deleted}`, undefined, { 'If-Match': '*' }),
  ]);
  expect(written.map(({ status }) => status)).toEqual([200, 200, 204]);
  await stock({ sku: rows[0].sku, amount: 3 }, { sku: rows[1].sku, amount: 2, adjusts: true });

  const failed = await load('load', fewer, '--as-of', cursor, '--max-reject', '50');
  expect([failed.status, failed.said]).toEqual([1, expect.stringContaining('failed: 3 writes cannot be replayed')]);
  expect(failed.said).toContain('run the same command again with --max-rejected-writes 3');
  const done = await load('load', fewer, '--as-of', cursor, '--max-reject', '50', '--max-rejected-writes', '3');
  expect([done.status, done.said]).toEqual([
    0,
    expect.stringMatching(/; replayed writes of \d+ products and 2 operations of stock, 3 rejected/),
  ]);
  const { rows: rejected } = await client.query(
    'SELECT product_id, sku, path, reason FROM catalog_meta.rejected_writes ORDER BY reason',
  );
  expect(rejected).toEqual([
    { product_id: gone, sku: null, path: '', reason: 'unknown-product' },
    { product_id: changed, sku: null, path: '/related', reason: 'unknown-related' },
    { product_id: null, sku: rows[0].sku, path: null, reason: 'unknown-sku' },
  ]);
  expect((await call('GET', `/products/${changed}`)).body).toMatchObject({ name: 'Changed', related: [1] });
  expect((await call('GET', `/products/${deleted}`)).status).toBe(404);
  expect(
    await idsOf(
      client,
      `SELECT product_id AS id FROM catalog.related WHERE related_product_id IN (${gone}, ${deleted})`,
    ),
  ).toEqual([]);

  // The writes are in no file yet: another load must say which of them it has.
  for (const [words, message] of /** @type {[string[], string][]} */ ([
    [[], '2 operations of stock were written to load 2'],
    [['--as-of', '2.1'], 'is of another era'],
    [['--as-of', '1.9999'], 'is not reached yet'],
    [['--as-of', 'now'], "'now' is not a cursor such as 1.4712"],
    [['--as-of', cursor, '--drop-writes'], 'leave out one of both'],
  ])) {
    const refused = await load('load', files, '--again', ...words);
    expect([refused.status, refused.said]).toEqual([2, expect.stringContaining(message)]);
  }
  await client.query('DELETE FROM catalog_log.commits WHERE seq <= 2');
  expect(await load('load', files, '--again', '--as-of', cursor)).toMatchObject({
    status: 2,
    said: expect.stringContaining('is older than the log'),
  });
  expect((await load('verify', '--served')).status).toBe(0);
}, 120_000);
