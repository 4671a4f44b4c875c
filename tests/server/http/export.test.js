'use strict';

const { once } = require('node:events');
const net = require('node:net');
const zlib = require('node:zlib');

const { createRandom } = require('../../../scripts/generate/random');
const { serveCatalog, startService, until } = require('../../helpers/app');
const { createCatalog, idOf, manyProducts } = require('../../helpers/database');
const { beginExport, linesOf } = require('../../helpers/exports');
const { request } = require('../../helpers/http');

/** @param {import('../../../server/core/events').Events} events @returns {() => number} pieces that were queried since */
function countPieces(events) {
  let count = 0;
  events.on('queried', (name) => (count += Number(name.startsWith('export_'))));
  return () => count;
}

/** @param {string} line */
const idIn = (line) => JSON.parse(line).id;

describe('an export', () => {
  const products = 1700; // three whole pieces and a part
  const served = serveCatalog(manyProducts(products));
  const get = (/** @type {string} */ query, /** @type {Record<string, string>} */ headers = {}) =>
    request(served.app.url, { path: `/export${query}`, headers });

  test('has every product once, in id order, with the bytes of its other replies', async () => {
    const { body: list } = await request(served.app.url, { path: `/products?count=${products}&include=features` });
    const { body: cards } = await request(served.app.url, { path: `/products?count=${products}&include=offer` });
    const [product, card, id] = [await get('?view=product'), await get(''), await get('?view=id')].map(
      ({ body }) => body,
    );
    expect(`[${linesOf(product).lines}]`).toBe(list);
    const ids = JSON.parse(list).map((/** @type {{ id: number }} */ one) => one.id);
    expect(linesOf(card).lines.map(idIn)).toEqual(ids);
    expect(linesOf(card).lines.map((line) => JSON.parse(line).offer)).toEqual(
      JSON.parse(cards).map((/** @type {{ offer: object }} */ { offer }) => offer),
    );
    expect(linesOf(id).lines).toEqual(ids.map((/** @type {number} */ one) => `{"id":${one}}`));
    const end = {
      count: products,
      last: idOf(products),
      catalog_version: expect.stringMatching(/^1-\d{16}$/),
      changed: false,
    };
    for (const body of [product, card, id]) expect(linesOf(body).end).toEqual(end);
  });

  test('has no ETag that If-Match could name', async () => {
    expect((await get('?view=id', { 'if-match': '*' })).status).toBe(200);
    for (const method of ['GET', 'HEAD']) {
      const refused = await request(served.app.url, { path: '/export', method, headers: { 'if-match': '"x"' } });
      expect([refused.status, refused.headers['content-type']]).toEqual([412, 'application/problem+json']);
    }
  });

  test('has the type of lines, a version, no ETag and no length, and is not cached', async () => {
    const { headers } = await get('?view=id', { 'if-none-match': '*' });
    const version = served.app.service.health().parts.version;
    const wanted = {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'catalog-version': version,
      vary: 'Accept-Encoding',
    };
    expect(headers).toMatchObject({ ...wanted, 'cache-control': 'no-store', 'transfer-encoding': 'chunked' });
    for (const name of ['etag', 'content-length']) expect(headers).not.toHaveProperty(name);
  });

  test('has the same lines compressed', async () => {
    const [plain, packed] = [await get('?view=product'), await get('?view=product', { 'accept-encoding': 'gzip' })];
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(zlib.gunzipSync(Buffer.from(packed.body, 'latin1')).toString()).toBe(plain.body);
    expect(packed.body.length).toBeLessThan(plain.body.length / 4);
  });

  test('that was cut anywhere is completed by the one after its last whole line', async () => {
    const whole = linesOf((await get('?view=card')).body);
    const below = createRandom(7);
    const size = whole.lines.join('\n').length;
    for (const at of [0, 1, size, ...Array.from({ length: 12 }, () => below(size))]) {
      const cut = linesOf(`${whole.lines.join('\n')}\n`.slice(0, at));
      expect(cut.end).toBeNull();
      const after = cut.lines.length ? `&after=${idIn(cut.lines[cut.lines.length - 1])}` : '';
      const rest = linesOf((await get(`?view=card${after}`)).body);
      expect([...cut.lines, ...rest.lines]).toEqual(whole.lines);
      expect(rest.end).toEqual({
        ...whole.end,
        count: rest.lines.length,
        last: rest.lines.length ? whole.end?.last : null,
      });
    }
  });

  test('of no product is the last line alone, and one of exactly a piece has nothing more', async () => {
    expect(linesOf((await get('?after=2147483647')).body)).toMatchObject({ lines: [], end: { count: 0, last: null } });
    for (const left of [499, 500, 501])
      expect(linesOf((await get(`?view=id&after=${idOf(products - left)}`)).body)).toMatchObject({
        end: { count: left },
      });
  });

  test.each([
    ['?veiw=id', 'There is no parameter "veiw" here, only view, after. Did you mean "view"?'],
    ['?count=5', 'There is no parameter "count" here, only view, after.'],
    ['?view=cards', 'view may be card, product, full, id, and not "cards". Did you mean "card"?'],
    ['?view=id&view=id', 'view is given 2 times. Give it once.'],
    ['?after=0', 'after must be a whole number from 1 to 2147483647, in decimal digits.'],
  ])('%s is a 400 that says what to change', async (query, detail) => {
    const { status, body } = await get(query);
    expect([status, JSON.parse(body).detail]).toEqual([400, detail]);
  });

  test('ignores what trackers add', async () => {
    const [plain, tracked] = [await get('?view=id'), await get('?utm_source=x&gclid=1&view=id&fbclid=2&_=3')];
    expect([tracked.status, tracked.body]).toEqual([200, plain.body]);
  });

  test('is counted and logged under its route', async () => {
    const ended = once(served.app.service.events, 'exported');
    await get('?view=id');
    expect(await ended).toEqual(['complete', products, expect.any(Number)]);
    const metrics = await (await fetch(`${served.app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^catalog_replies_total\{route="export",status="200"\} \d+$/m);
    expect(metrics).toMatch(/^catalog_query_seconds_count\{query="long_export_id"\} \d+$/m);
  });
});

describe('an export that is not read', () => {
  // More than the kernel buffers.
  const products = 20_000;
  const served = serveCatalog(manyProducts(products), { DRAIN_DEADLINE_MS: 200 });
  let underWay = 0;
  beforeAll(() => {
    const { events } = served.app.service;
    events.on('replied', (route) => (underWay += Number(route === 'export')));
    events.on('exported', () => (underWay -= 1));
  });
  /** @type {Awaited<ReturnType<typeof beginExport>>[]} */
  const begun = [];
  const begin = async () => {
    const stream = await beginExport(served.app.url, 'view=product');
    begun.push(stream);
    return stream;
  };
  afterEach(async () => {
    for (const { leave } of begun) leave();
    await until(() => underWay === 0);
  });

  test('is read no further, and a third one is refused until one of two has gone', async () => {
    const { events } = served.app.service;
    const pieces = countPieces(events);
    const [one, other] = [await begin(), await begin()];
    const third = await begin();
    expect([third.status, third.headers['retry-after']]).toEqual([503, '1']);
    expect((await request(served.app.url, { path: '/export', method: 'HEAD' })).status).toBe(200);
    expect(linesOf(await other.rest()).end).toMatchObject({ count: products });
    expect(pieces()).toBeLessThan(2 * (products / 500)); // the first one had as much time
    const left = once(events, 'exported');
    one.leave();
    expect(await left).toEqual(['cut', expect.any(Number), expect.any(Number)]);
    expect([(await begin()).status, (await begin()).status, (await begin()).status]).toEqual([200, 200, 503]);
  });

  test('frees its place also when it waits behind another reply of its connection', async () => {
    const socket = net.connect(served.app.service.ports.http, '127.0.0.1');
    socket.write('GET /export?view=product HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await until(() => underWay === 2);
    expect((await begin()).status).toBe(503);
    socket.destroy();
    await until(() => underWay === 0);
    expect([(await begin()).status, (await begin()).status]).toEqual([200, 200]);
  });

  test('is cut by a database that fails, and a place is free again', async () => {
    const { client } = served.catalog;
    const stream = await begin();
    await client.query('ALTER TABLE catalog.product_documents RENAME TO away');
    await expect(stream.rest()).rejects.toThrow('aborted');
    expect([(await begin()).status, (await begin()).status, (await begin()).status]).toEqual([503, 503, 503]);
    await client.query('ALTER TABLE catalog.away RENAME TO product_documents');
    expect(linesOf(await (await begin()).rest()).end).toMatchObject({ count: products });
  });

  test('is cut by a stop at its deadline', async () => {
    const stream = await begin();
    await served.app.close();
    await expect(stream.rest()).rejects.toThrow('aborted');
  });
});

describe('a load during an export', () => {
  test('does not end it: the rest is of the new catalog, and the last line says so', async () => {
    const products = 20_000;
    const catalog = await createCatalog(manyProducts(products));
    const app = await startService({ DATABASE_URL: catalog.dsn });
    try {
      const before = linesOf(await (await beginExport(app.url, 'view=product')).rest());
      const stream = await beginExport(app.url, 'view=product');
      const next = app.nextVersion();
      await catalog.swap(`${manyProducts(products + 10)}; UPDATE {schema}.products SET slogan = 'new'`, 2);
      await next;
      const mixed = linesOf(await stream.rest());
      const after = linesOf(await (await beginExport(app.url, 'view=product')).rest());
      expect(mixed.end).toEqual({
        count: products + 10,
        last: idOf(products + 10),
        catalog_version: before.end?.catalog_version,
        changed: true,
      });
      const from = mixed.lines.findIndex((line) => line.includes('"slogan":"new"'));
      expect(from).toBeGreaterThan(0);
      expect(mixed.lines).toEqual([...before.lines.slice(0, from), ...after.lines.slice(from)]);
      expect([before.end?.changed, after.end?.changed]).toEqual([false, false]);
      expect(after.end?.catalog_version).toMatch(/^2-/);
    } finally {
      await app.close();
      await catalog.drop();
    }
  });
});
