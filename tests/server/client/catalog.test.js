'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startService } = require('../../helpers/app');
const { countReplies, createCatalog, highlight } = require('../../helpers/client');
const { loadSample } = require('../../helpers/sample');

/** @typedef {import('../../../server/client/catalog.js').Catalog} Catalog */

const PRODUCTS = 300;
const UNKNOWN = 2_000_000_000;

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'client-'));
/** @type {Awaited<ReturnType<typeof loadSample>>} */
let database;
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
/** @type {Catalog} */
let catalog;
/** @type {ReturnType<typeof countReplies>} */
let replies;
/** @type {number[]} of all products; there are gaps between them */
let known;

beforeAll(async () => {
  database = await loadSample(dir, PRODUCTS);
  app = await startService({ DATABASE_URL: database.dsn('api') });
  replies = countReplies(app.service.events);
  known = idsOf(await (await fetch(`${app.url}/products?count=20000`)).json());
}, 60_000);
beforeEach(() => {
  catalog = createCatalog({ url: app.url });
  replies.take();
});
afterAll(async () => {
  await app?.close();
  await database?.drop();
  fs.rmSync(dir, { recursive: true });
});

const idsOf = (/** @type {{ id: number }[]} */ items) => items.map(({ id }) => id);
const upTo = (/** @type {number} */ last) => Array.from({ length: last }, (_, index) => index + 1);
/** @template T @param {AsyncIterable<T>} items */
async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a page is one request', () => {
  test('a list with price, picture and stock of each product', async () => {
    const { items, total, version, next } = await catalog.products({ count: 24, include: ['offer'] });
    expect(replies.take()).toEqual(['products']);
    expect([idsOf(items), total]).toEqual([known.slice(0, 24), PRODUCTS]);
    for (const { offer } of items)
      expect(offer).toMatchObject({ price: expect.any(String), in_stock: expect.any(Boolean) });
    expect(version).toBe(app.service.health().parts.version);
    expect(next).toEqual({ after: 24, count: 24, include: ['offer'] });
  });

  test('a search with facets, totals and prices', async () => {
    const reply = await catalog.search({
      q: 'jac',
      category: ['Jackets'],
      on_sale: true,
      in_stock: false,
      max_price: 400,
      facets: ['category', 'price', 'feature.Fabric'],
      count: 3,
    });
    expect(replies.take()).toEqual(['search']);
    expect(reply.items).toHaveLength(3);
    expect(reply.total).toBeGreaterThan(3);
    expect(reply.facets.map(({ name }) => name)).toEqual(['category', 'price', 'feature.Fabric']);
    expect(reply.items.every(({ category, offer }) => category === 'Jackets' && offer.on_sale)).toBe(true);
  });

  test('a product with its styles and the cards of related products', async () => {
    const product = await catalog.product(7, { include: ['offer', 'styles', 'related'] }); // related to itself, too
    expect(replies.take()).toEqual(['included']);
    expect(product.styles).toEqual((await catalog.styles(7)).results);
    const others = new Set((await catalog.related(7)).filter((id) => id !== 7));
    expect(idsOf(product.related)).toEqual([...others]);
    expect(product.offer.price).toMatch(/^\d+\.\d\d$/);
  });
});

describe('a list', () => {
  test('has the parameters of its next page, and none on the last one', async () => {
    /** @type {number[]} */
    const ids = [];
    /** @type {import('../../../server/client/catalog.js').ListParams | undefined} */
    let params = { count: 130 };
    while (params) {
      /** @type {import('../../../server/client/catalog.js').ListPage} */
      const page = await catalog.products(params);
      ids.push(...idsOf(page.items));
      params = page.next;
    }
    expect(ids).toEqual(known);
    expect(replies.take()).toHaveLength(3);
  });
});

describe('items', () => {
  test('of one turn of the event loop are one request, each caller gets its own', async () => {
    const later = Promise.resolve().then(() => catalog.items([2, 3]));
    const found = await Promise.all([catalog.items([3, UNKNOWN, 1, 3]), later, catalog.items([])]);
    expect(replies.take()).toEqual(['batch']);
    expect(found.map((items) => items.map((item) => item?.id ?? null))).toEqual([[3, null, 1, 3], [2, 3], []]);
    await catalog.items([1]);
    expect(replies.take()).toEqual(['batch']);
  });

  test('of 24 tiles that each ask for their own price and picture are one request', async () => {
    const tiles = await Promise.all(upTo(24).map((id) => catalog.items([id], { include: ['offer'] })));
    expect(replies.take()).toEqual(['batch']);
    expect(tiles.flat().map((item) => item?.offer)).toEqual(
      (await catalog.products({ count: 24, include: ['offer'] })).items.map(({ offer }) => offer),
    );
  });

  test('are split at 500, in the order asked, null where there is none', async () => {
    const ids = upTo(1001).reverse();
    const isKnown = (/** @type {number} */ id) => known.includes(id);
    const items = await catalog.items(ids);
    expect(replies.take()).toEqual(['batch', 'batch', 'batch']);
    expect(items.map((item) => item?.id ?? null)).toEqual(ids.map((id) => (isKnown(id) ? id : null)));
  });

  test('are split at 100 with styles, and apart for each include', async () => {
    const [some, others] = await Promise.all([
      catalog.items(known.slice(0, 150), { include: ['styles', 'offer'] }),
      catalog.items(known.slice(0, 50), { include: ['offer', 'styles'] }),
      catalog.items([7]),
    ]);
    expect(replies.take()).toEqual(['batch', 'batch', 'batch']);
    expect(others).toEqual(some.slice(0, 50));
    expect(some.every((item) => Array.isArray(item?.styles))).toBe(true);
  });

  test('that fail reject all callers of the request, and no others', async () => {
    const calls = [catalog.items([1, 0]), catalog.items([2]), catalog.items([2], { include: ['offer'] })];
    const [one, other, apart] = await Promise.allSettled(calls);
    for (const failed of [one, other])
      expect(failed).toMatchObject({ status: 'rejected', reason: { slug: 'malformed-parameter', status: 400 } });
    expect(apart.status).toBe('fulfilled');
  });

  test('an abort of one caller leaves the others their reply', async () => {
    const leaving = new AbortController();
    const calls = Promise.allSettled([catalog.items([1], { signal: leaving.signal }), catalog.items([1, 2])]);
    leaving.abort();
    const [left, stayed] = await calls;
    expect(left).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    expect(stayed).toMatchObject({ status: 'fulfilled', value: [{ id: 1 }, { id: 2 }] });
    await expect(catalog.items([1], { signal: leaving.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('skus', () => {
  test('of one turn of the event loop are one request, in the order of each caller', async () => {
    const { results } = await catalog.styles(1);
    const [first, second] = results.flatMap(({ skus }) => Object.keys(skus).map(Number));
    replies.take();
    const found = await Promise.all([catalog.skus([second, UNKNOWN, first]), catalog.skus([first])]);
    expect(replies.take()).toEqual(['skus']);
    expect(found.map((skus) => skus.map((sku) => sku?.id ?? null))).toEqual([[second, null, first], [first]]);
    expect(await catalog.sku(first, { include: ['card'] })).toMatchObject({ ...found[1][0], card: { id: 1 } });
    await expect(catalog.sku(UNKNOWN)).rejects.toMatchObject({ status: 404, slug: 'unknown-sku' });
  });
});

describe('searchAll', () => {
  test.each(/** @type {const} */ (['price', '-name', 'newest']))('finds every card once by %s', async (sort) => {
    const cards = await all(catalog.searchAll({ sort, count: 70 }));
    expect(replies.take()).toHaveLength(Math.ceil(PRODUCTS / 70));
    expect(idsOf(cards).sort((a, b) => a - b)).toEqual(known);
    const { items } = await catalog.search({ sort, count: 1000 });
    expect(cards).toEqual(items);
  });

  test('begins at a page', async () => {
    const { items } = await catalog.search({ sort: 'price', count: 1000 });
    expect(await all(catalog.searchAll({ sort: 'price', count: 70, page: 2 }))).toEqual(items.slice(70));
    replies.take();
  });

  test('leaves out a card that comes again', async () => {
    const pages = [
      { items: [{ id: 1 }, { id: 2 }], next: 'c1.a' },
      { items: [{ id: 2 }, { id: 3 }], next: null },
    ];
    const stub = createCatalog({ fetch: async () => Response.json(pages.shift()) });
    expect(idsOf(await all(stub.searchAll()))).toEqual([1, 2, 3]);
  });

  test('begins behind a cursor and requests no page that is not consumed', async () => {
    const { next, items } = await catalog.search({ sort: 'price', count: 2 });
    replies.take();
    const walk = catalog.searchAll({ sort: 'price', count: 2, after: next ?? '' });
    const { value } = await walk.next();
    expect(idsOf(items)).not.toContain(value?.id);
    expect(replies.take()).toEqual(['search']);
  });
});

describe('highlight', () => {
  test.each([
    ['<b>GROSSE</b> caf', '[Größe] "Ω" [Café], 日本 🧵'],
    ['日本', 'Größe "Ω" Café, [日本] 🧵'],
    ['gr', '[Größe] "Ω" Café, 日本 🧵'],
    ['<b>', 'Größe "Ω" Café, 日本 🧵'],
  ])('marks what the service found for %s', async (q, wanted) => {
    const { items, query } = await catalog.search({ q, count: 1000 });
    const card = items.find(({ id }) => id === 10);
    const segments = highlight(card?.name ?? '', query.words);
    expect(segments.map(({ text, match }) => (match ? `[${text}]` : text)).join('')).toBe(wanted);
  });
});

describe('suggest', () => {
  test('answers all of four calls at once', async () => {
    const found = await Promise.all(['j', 'ja', 'jac', 'jack'].map((q) => catalog.suggest(q, { count: 3 })));
    expect(found.map(({ categories }) => categories)).toEqual(
      Array(4).fill([{ value: 'Jackets', count: expect.any(Number) }]),
    );
  });

  test('of suggestions() aborts its last call, and none of others', async () => {
    const [one, other] = [catalog.suggestions(), catalog.suggestions()];
    const calls = [one('j'), other('j'), catalog.suggest('j'), one('jack', { count: 3 })];
    const [before, beside, alone, last] = await Promise.allSettled(calls);
    expect(before).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    expect([beside.status, alone.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(last).toMatchObject({ status: 'fulfilled', value: { categories: [{ value: 'Jackets' }] } });
  });

  test('of suggestions() is aborted by its own signal, too', async () => {
    const suggest = catalog.suggestions();
    await expect(suggest('j', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect((await suggest('jack')).words[0].value).toBe('Jackets');
  });
});

test('items that are not asked keep their places, and a wrong one fails no other call', async () => {
  const ids = /** @type {any} */ ([2, null, 1, undefined, '']);
  const calls = [
    catalog.items(ids),
    catalog.items([null]),
    catalog.items([1, NaN]),
    catalog.items([3], { include: null }),
  ];
  const [some, none, wrong, right] = await Promise.allSettled(calls);
  expect(some).toMatchObject({ value: [{ id: 2 }, null, { id: 1 }, null, null] });
  expect(none).toMatchObject({ value: [null] });
  expect(wrong).toMatchObject({
    reason: { name: 'TypeError', message: expect.stringMatching(/^ids must be .* not NaN\.$/) },
  });
  expect(right).toMatchObject({ value: [{ id: 3 }] });
  expect(replies.take()).toEqual(['batch']);
});

test('menu has the facets and limits of the catalog', async () => {
  expect(await catalog.menu()).toMatchObject({ products: PRODUCTS, limits: { count: 1000 } });
  expect(replies.take()).toEqual(['catalog']);
});

test.each(['', '.', '..', '../search', '8/styles'])(
  '%j instead of an id is a problem, never another route',
  async (id) => {
    for (const call of [catalog.product, catalog.styles, catalog.related])
      await expect(call(/** @type {any} */ (id))).rejects.toMatchObject({ slug: 'malformed-parameter', status: 400 });
  },
);
