'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { loadCatalog } = require('../../scripts/lib/commands');
const { runOrThrow } = require('../../scripts/lib/run');
const { startService } = require('../helpers/app');
const { readChanges } = require('../helpers/changes');
const { loadSample } = require('../helpers/sample');
const { applyStock, logStock } = require('../helpers/stock');
const { callerOf, prepareWrites, startWriter } = require('../helpers/writer');

const PRODUCTS = 60;
const ROUTES = /** @type {const} */ (['', '/styles', '/related']);
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'storefront-'));

/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Client} */
let client;
/** @type {Awaited<ReturnType<typeof startService>>} */
let worker;
/** @type {Awaited<ReturnType<typeof startWriter>>} */
let writer;
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  database = await loadSample(dir, PRODUCTS);
  client = new Client({ connectionString: database.superuserDsn });
  await client.connect();
  worker = await startService({ DATABASE_URL: database.dsn('api') });
  writer = await startWriter(database.dsn('writer'));
  call = callerOf(writer.url, await prepareWrites({ client }, { name: 'shop', scopes: ['content', 'changes'] }));
}, 60_000);
afterAll(async () => {
  await writer?.close();
  await worker?.close();
  await client?.end();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

/** @param {string} target @param {string} cursor @returns {Promise<string>} what a page shows; problems differ at each request */
async function read(target, cursor) {
  const response = await fetch(worker.url + target, { headers: { 'Catalog-Min-Cursor': cursor } });
  const body = await response.text();
  if (response.status === 503) return read(target, cursor);
  return response.status === 200 ? body : String(response.status);
}

/** A shop that keeps what it has read, and reads again what the feed names. */
class Storefront {
  /** @type {Map<string, string>} by target */
  pages = new Map();
  /** @type {Set<string>} */
  revalidated = new Set();
  /** @type {Set<string>} */
  kinds = new Set();
  cursor = '';

  /** @param {number[]} ids */
  async open(ids) {
    this.cursor = (await call('GET', '/changes?after=head')).body.next;
    await Promise.all(ids.flatMap((id) => ROUTES.map((route) => this.show(`/products/${id}${route}`, this.cursor))));
  }

  /** @param {string} target @param {string} cursor */
  async show(target, cursor) {
    this.pages.set(target, await read(target, cursor));
  }

  async follow() {
    const { changes, next } = await readChanges(call, this.cursor, 7);
    for (const { kind, product, cursor } of changes) {
      this.kinds.add(kind);
      for (const route of kind === 'stock.changed' ? ['/styles'] : ROUTES) {
        this.revalidated.add(`/products/${product}${route}`);
        await this.show(`/products/${product}${route}`, cursor);
      }
    }
    this.cursor = next;
  }
}

/** @param {number} count @returns {number[]} */
const idsTo = (count) => Array.from({ length: count }, (_, index) => index + 1);

/** The products that revalidation rereads; a product's update may leave two of its three replies as they were. @param {Iterable<string>} targets */
const productsOf = (targets) =>
  [...new Set([...targets].map((target) => Number(target.split('/')[2])))].sort((a, b) => a - b);

/** @param {() => Promise<unknown>} change @param {number[]} ids of all products, before and after it */
async function expectExactly(change, ids) {
  const shop = new Storefront();
  await shop.open(ids);
  const before = new Map(shop.pages);
  await change();
  await shop.follow();
  const fresh = new Storefront();
  await fresh.open(ids);
  const changed = [...fresh.pages].filter(([target, body]) => before.get(target) !== body).map(([target]) => target);
  expect(productsOf(shop.revalidated)).toEqual(productsOf(changed));
  expect(changed.filter((target) => !shop.revalidated.has(target))).toEqual([]);
  expect(Object.fromEntries(shop.pages)).toEqual(Object.fromEntries(fresh.pages));
  return { changed, kinds: [...shop.kinds].sort() };
}

/** @param {string} file @param {(line: string) => string} edit of each line but the first */
function editCsv(file, edit) {
  const name = path.join(dir, 'sample-usual', file);
  const [head, ...lines] = fs.readFileSync(name, 'utf8').split('\n');
  fs.writeFileSync(name, [head, ...lines.map((line) => (line ? edit(line) : line))].join('\n'));
}

test('a storefront that follows a load revalidates exactly what it changed', async () => {
  const { changed, kinds } = await expectExactly(async () => {
    editCsv('product.csv', (line) => line.replace(/^(5|9),("?)/, '$1,$2New '));
    editCsv('skus.csv', (line) => line.replace(/^(40|41)(,.*,)("?)\d+("?)$/, '$1$2$34321$4'));
    const command = [...loadCatalog(path.join(dir, 'sample-usual'), path.join(dir, 'rejects')), '--again'];
    await runOrThrow(command, { LOADER_DATABASE_URL: database.dsn('loader') });
  }, idsTo(PRODUCTS));
  expect(changed).toEqual(expect.arrayContaining(['/products/5', '/products/9']));
  expect(kinds).toEqual(['product.updated', 'stock.changed']);
}, 60_000);

test('and random writes, and stock', async () => {
  const ids = [...idsTo(PRODUCTS), 1_500_000_001, 1_500_000_002];
  const skus = (await client.query('SELECT id, quantity FROM catalog.skus ORDER BY id LIMIT 200')).rows;
  const { kinds } = await expectExactly(async () => {
    let seed = 1;
    const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
    for (let step = 1; step <= 60; step += 1) {
      const id = 1 + random(PRODUCTS);
      const [any, same] = [{ 'If-Match': '*' }, skus[random(200)]];
      if (step % 20 === 0) await call('DELETE', `/products/${id}`, undefined, any);
      else if (step % 5 === 0)
        await logStock(client, [
          { sku: skus[random(200)].id, amount: 1000 + step },
          { sku: same.id, amount: same.quantity, expected: same.quantity },
        ]);
      else if (step % 3 === 0) await call('PATCH', `/products/${id}`, { default_price: `${step}.5` });
      else if (step % 7 === 0)
        await call('PATCH', `/products/${id}`, {}); // changes nothing
      else await call('PATCH', `/products/${id}`, { name: `step ${step}`, related: [1 + random(PRODUCTS)] });
      if (step % 10 === 0) await applyStock(client);
    }
    const made = { name: 'x', slogan: '', description: '', category: '', default_price: '1', features: [] };
    for (const key of ['a', 'b'])
      await call('POST', '/products', { ...made, related: [], styles: {} }, { 'Idempotency-Key': key });
  }, ids);
  expect(kinds).toEqual(['product.created', 'product.deleted', 'product.updated', 'stock.changed']);
}, 60_000);

test('a search has each of several writes in a row, and is not answered 503 first', async () => {
  for (const name of ['Rowlock One', 'Rowlock Two', 'Rowlock Three']) {
    const { headers } = await call('PATCH', '/products/31', { name }, { 'If-Match': '*' });
    const cursor = { 'Catalog-Min-Cursor': String(headers.get('catalog-cursor')) };
    const found = await fetch(`${worker.url}/search?q=rowlock`, { headers: cursor });
    expect(await found.json()).toMatchObject({ total: 1, items: [{ id: 31, name }] });
  }
});
