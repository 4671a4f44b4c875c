'use strict';

const { createRandom } = require('../../../scripts/generate/random');
const { Entry } = require('../../../server/cache/entry');
const { Catalog } = require('../../../server/catalog/catalog');
const { keys, tagsOf, versionOf } = require('../../../server/catalog/keys');
const { LongPages } = require('../../../server/catalog/long-pages');
const { PageBlocks } = require('../../../server/catalog/pages');
const { Pages } = require('../../../server/catalog/pages');
const { listHeaders } = require('../../../server/http/replies/links');
const { Lists } = require('../../../server/store/servers/lists');

/** Ids with gaps, cut into runs of 64, some of which lost rows later. @param {(bound: number) => number} below */
function makeCatalog(below) {
  const ids = Array.from({ length: 1 + below(600) }, () => 0);
  ids.forEach((_, index) => (ids[index] = (ids[index - 1] ?? 0) + 1 + below(5)));
  const firstIds = ids.filter((_, index) => index % 64 === 0);
  const left = ids.filter(() => below(10) >= 3);
  const rows = firstIds.map(
    (first, block) => left.filter((id) => id >= first && id < (firstIds[block + 1] ?? Infinity)).length,
  );
  return { left, blocks: new PageBlocks({ firstIds, rows, loadId: 1, countedSeq: 0 }) };
}

const longPages = new LongPages({ fromRows: 201, maxRows: 40_000 });

describe('pages', () => {
  test('blocks give the rows that OFFSET would give, after deletes and with gaps', () => {
    const below = createRandom(42);
    for (let round = 0; round < 60; round += 1) {
      const { left, blocks } = makeCatalog(below);
      expect(blocks.totalRows).toBe(left.length);
      for (let offset = 0; offset < left.length; offset += 1) {
        const { firstId, skip } = /** @type {any} */ (blocks.locate(offset));
        expect(left.filter((id) => id >= firstId)[skip]).toBe(left[offset]);
      }
      expect(blocks.locate(left.length)).toBeNull();
      expect(blocks.locate(2147483646 * 20000)).toBeNull();
    }
  });

  test('an empty catalog has no rows', () => {
    expect(new PageBlocks({ firstIds: [], rows: [], loadId: null, countedSeq: 0 }).locate(0)).toBeNull();
  });

  const page = (/** @type {number} */ loadId) => ({
    body: Buffer.from('[{}]'),
    lastId: 9,
    more: true,
    loadId,
    countedSeq: 0,
  });
  const blocksOf = (/** @type {number} */ loadId) => ({ firstIds: [1], rows: [9], loadId, countedSeq: 0 });

  test('rows and blocks of two loads are never combined: both are read again', async () => {
    const database = {
      pageBlocks: jest.fn().mockResolvedValueOnce(blocksOf(1)).mockResolvedValue(blocksOf(2)),
      pageAt: jest.fn(async () => page(2)),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    const { annotation } = await new Pages({ database, longPages, annotate: listHeaders }).byPage('v', 1, 1);
    expect(database.pageBlocks).toHaveBeenCalledTimes(2);
    const link = '<?after=9&count=1>; rel="next", <?page=1&count=1>; rel="first", <?page=9&count=1>; rel="last"';
    expect(annotation).toBe(`Link: ${link}\r\nX-Total-Count: 9\r\n`);
  });

  test('pages that meet a swap together read the new blocks once', async () => {
    let served = 1;
    const database = {
      pageBlocks: jest.fn(async () => blocksOf(served)),
      pageAt: jest.fn(async () => page(served)),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    const pages = new Pages({ database, longPages, annotate: listHeaders });
    await pages.byPage('v', 1, 1);
    served = 2;
    await Promise.all(Array.from({ length: 9 }, (_, index) => pages.byPage('v', index + 1, 1)));
    expect(database.pageBlocks).toHaveBeenCalledTimes(2);
    expect(database.pageAt).toHaveBeenCalledTimes(1 + 2 * 9);
  });

  test('a catalog that is replaced repeatedly causes a 503, not a wrong page', async () => {
    const database = {
      pageBlocks: jest.fn(async () => blocksOf(1)),
      pageAt: jest.fn(async () => page(2)),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    await expect(new Pages({ database, longPages, annotate: listHeaders }).byPage('v', 1, 1)).rejects.toMatchObject({
      status: 503,
    });
  });

  test('rows of several loads are read again', async () => {
    const mixed = /** @type {any} */ (null);
    const database = {
      pageBlocks: jest.fn(async () => blocksOf(mixed)),
      pageAt: jest.fn(async () => page(mixed)),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    await expect(new Pages({ database, longPages, annotate: listHeaders }).byPage('v', 1, 1)).rejects.toMatchObject({
      status: 503,
    });
  });

  test('a page that meets a write each time is read and counted in one statement', async () => {
    let countedSeq = 0;
    const next = () => (countedSeq += 1);
    const database = {
      pageBlocks: jest.fn(async () => ({ ...blocksOf(1), countedSeq: next() })),
      pageAt: jest.fn(async () => ({ ...page(1), countedSeq: next() })),
      pageAfter: jest.fn(async () => ({ ...page(1), countedSeq: next() })),
      countedPage: jest.fn(async () => ({ ...page(1), total: 12 })),
    };
    const pages = new Pages({ database, longPages, annotate: listHeaders });
    for (const read of [() => pages.byPage('v', 3, 2), () => pages.after('v', 7, 2, 'offer')])
      expect((await read()).annotation).toMatch(/X-Total-Count: 12\r\n$/);
    expect(database.countedPage.mock.calls).toEqual([
      [{ firstId: 0, rowsBefore: 4 }, 2, '', 'v'],
      [{ firstId: 8, rowsBefore: -1 }, 2, 'offer', 'v'],
    ]);
  });

  test('a page whose rows were deleted after the count is served as empty', async () => {
    const database = {
      pageBlocks: jest.fn(async () => blocksOf(1)),
      pageAt: jest.fn(async () => ({
        body: Buffer.from('[]'),
        lastId: null,
        more: false,
        loadId: null,
        countedSeq: 0,
      })),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    const { body, annotation } = await new Pages({ database, longPages, annotate: listHeaders }).byPage('v', 1, 1);
    expect(`${body} ${annotation}`).toBe(
      '[] Link: <?page=1&count=1>; rel="first", <?page=9&count=1>; rel="last"\r\nX-Total-Count: 9\r\n',
    );
    expect(database.pageBlocks).toHaveBeenCalledTimes(3);
  });

  test('blocks are read once per data version', async () => {
    const database = {
      pageBlocks: jest.fn(async () => blocksOf(1)),
      pageAt: jest.fn(async () => page(1)),
      pageAfter: jest.fn(),
      countedPage: jest.fn(),
    };
    const pages = new Pages({ database, longPages, annotate: listHeaders });
    for (const version of ['a', 'a', 'b', 'b']) await pages.byPage(version, 1, 1);
    expect(database.pageBlocks).toHaveBeenCalledTimes(2);
  });
});

describe('catalog', () => {
  test('no two requests share a key, and no two versions', () => {
    const all = [
      keys.document('1', 0, 'product', 11),
      keys.document('1', 0, 'styles', 11),
      keys.document('1', 1, 'product', 11),
      keys.document('11', 0, 'product', 1),
      keys.page('1', 1, 11),
      keys.page('1', 11, 1),
      keys.page('11', 1, 1),
      keys.after('1', 1, 11),
      keys.product('1', 11, 'offer'),
      keys.product('1', 11, 'styles'),
      keys.page('1', 1, 11, 'offer'),
      keys.after('1', 1, 11, 'offer'),
      keys.batch('1', [1, 11], ''),
      keys.batch('1', [11, 1], ''),
      keys.batch('1', [1, 11], 'offer'),
      keys.sku('1', 11, ''),
      keys.sku('1', 11, 'card'),
      keys.skus('1', [1, 11], ''),
      keys.skus('1', [1, 11], 'card'),
      keys.skusByField('1', 'code', ['1', '11'], ''),
      keys.skusByField('1', 'code', ['1,11'], ''),
      keys.skusByField('1', 'code1', ['1,11'], ''),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(all.map(versionOf)).toEqual(all.map((key) => /^\d+/.exec(key)?.[0]));
    expect([versionOf('2-200.7/suggest/8/a.b/c'), versionOf('/docs')]).toEqual(['2-200', '']);
  });

  test('searches, suggestions and facets have the tag search', () => {
    const all = [keys.search('2-200.7.7', 'digest'), keys.suggest('2-200.7.7', 'te', 5), keys.menu('2-200.7')];
    expect(all.map(tagsOf)).toEqual(Array(3).fill(['catalog', 'search']));
  });

  const catalogWith = (/** @type {any} */ found, /** @type {string | null} */ current) =>
    new Catalog({
      tiers: /** @type {any} */ ({ read: () => found }),
      database: /** @type {any} */ ({}),
      pages: /** @type {any} */ ({}),
      batches: /** @type {any} */ ({}),
      skus: /** @type {any} */ ({}),
      exported: /** @type {any} */ ({}),
      searches: /** @type {any} */ ({}),
      version: { current, lists: new Lists(), position: { seq: 0, seqOf: () => 0 } },
    });

  test('an unknown product is a 404, also from memory', async () => {
    const notFound = expect.objectContaining({ status: 404 });
    await expect(catalogWith(Promise.resolve(null), 'v').document('product', 9)).rejects.toEqual(notFound);
    expect(() => catalogWith(null, 'v').document('styles', 9)).toThrow(notFound);
    expect(() => catalogWith(null, 'v').sku(9, '')).toThrow(notFound);
  });

  test('a product in L1 is returned without a promise', () => {
    const entry = new Entry('k', Buffer.from('{}'));
    expect(catalogWith(entry, 'v').document('related', 1)).toBe(entry);
  });

  test('is unavailable while no data version is known', async () => {
    const catalog = catalogWith(null, null);
    const documents = [catalog.document('product', 1), catalog.product(1, 'offer'), catalog.sku(1, '')];
    for (const read of [
      ...documents,
      catalog.skus([1], ''),
      catalog.page(1, 5),
      catalog.after(1, 5),
      catalog.batch([1], ''),
    ])
      await expect(read).rejects.toMatchObject({ status: 503 });
  });
});

describe('long pages', () => {
  const limits = { fromRows: 10, maxRows: 100 };
  const body = Buffer.from('[]');
  const load = async () => ({ body });
  const overloaded = { status: 503, kind: { slug: 'overloaded' } };

  const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));

  test('count once until the last reply has ended, also when an end is reported twice', async () => {
    const pages = new LongPages(limits);
    const first = /** @type {{ body: Buffer, longRows: number }} */ (await pages.load(500, load));
    await expect(pages.load(10, load)).rejects.toMatchObject(overloaded);
    expect(await pages.load(9, load)).toEqual({ body });
    const [end, endOther] = [pages.send(first), pages.send(first)];
    await nextTurn();
    expect(pages.rows).toBe(500);
    end();
    end();
    await expect(pages.load(10, load)).rejects.toMatchObject(overloaded);
    endOther();
    const [, second] = /** @type {{ longRows: number }[]} */ ([await pages.load(60, load), await pages.load(40, load)]);
    pages.send(second);
    await expect(pages.load(10, load)).rejects.toMatchObject(overloaded);
    await nextTurn();
    await pages.load(40, load);
  });

  test('leave no trace when they fail', async () => {
    const pages = new LongPages(limits);
    const fail = async () => Promise.reject(new Error('away'));
    await expect(pages.load(100, fail)).rejects.toThrow('away');
    await nextTurn();
    await pages.load(100, load);
  });
});
