'use strict';

const { serveCatalog } = require('../../helpers/app');
const { createCatalog } = require('../../helpers/client');
const { longProducts } = require('../../helpers/exports');

/** @typedef {import('../../../server/client/catalog.js').ExportEnd} End */

const VERSION = '1-1795632771975392';

/**
 * @template T @param {AsyncGenerator<T, End, void>} lines
 * @returns {Promise<{ found: T[], end: End }>}
 */
async function walk(lines) {
  const found = [];
  for (;;) {
    const { done, value } = await lines.next();
    if (done) return { found, end: /** @type {End} */ (value) };
    found.push(/** @type {T} */ (value));
  }
}

const line = (/** @type {number} */ id) => `{"id":${id}}\n`;
/** @param {number} count @param {number | null} last @param {boolean} [changed] */
const endLine = (count, last, changed = false) =>
  `${JSON.stringify({ end: { count, last, catalog_version: VERSION, changed } })}\n`;

/** @typedef {{ chunks: string[], cut?: boolean, version?: string } | { status: number, retryAfter?: string }} Reply cut: with an error */

/** A client of a service that sends these replies, one a request; after them the last one again. @param {Reply[]} replies */
function scripted(replies) {
  /** @type {string[]} */
  const urls = [];
  const catalog = createCatalog({
    async fetch(url) {
      const reply = replies[Math.min(urls.push(url), replies.length) - 1];
      if ('status' in reply)
        return new Response('', { status: reply.status, headers: { 'Retry-After': reply.retryAfter ?? '0' } });
      const chunks = [...reply.chunks].map((chunk) => Buffer.from(chunk, 'latin1'));
      const body = new ReadableStream({
        pull(controller) {
          const chunk = chunks.shift();
          if (chunk) return controller.enqueue(chunk);
          return reply.cut ? controller.error(new TypeError('terminated')) : controller.close();
        },
      });
      return new Response(body, { headers: { 'Catalog-Version': reply.version ?? VERSION } });
    },
  });
  return { catalog, urls };
}

describe('an export', () => {
  test('has the lines before its end, wherever the network cuts them into pieces', async () => {
    const text = `{"id":1,"name":"Größe"}\n{"id":2,"name":"日本"}\n${endLine(2, 2)}`;
    const bytes = Buffer.from(text).toString('latin1');
    for (const size of [1, 2, 7, bytes.length]) {
      const chunks = bytes.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const { found, end } = await walk(scripted([{ chunks }]).catalog.exportAll());
      expect(found).toEqual([
        { id: 1, name: 'Größe' },
        { id: 2, name: '日本' },
      ]);
      expect(end).toEqual({ count: 2, last: 2, catalog_version: VERSION, changed: false });
    }
  });

  test('that is cut resumes behind its last whole line', async () => {
    const { catalog, urls } = scripted([
      { chunks: [line(1), `${line(4)}{"id`], cut: true },
      { chunks: [`${line(7)}{"id":9`] },
      { chunks: [line(9), endLine(1, 9)] },
    ]);
    const { found, end } = await walk(catalog.exportAll({ view: 'id' }));
    expect(found.map(({ id }) => id)).toEqual([1, 4, 7, 9]);
    expect(urls).toEqual(['/export?view=id', '/export?view=id&after=4', '/export?view=id&after=7']);
    expect(end).toEqual({ count: 4, last: 9, catalog_version: VERSION, changed: false });
  });

  test('that ends behind its last product is complete after an empty rest', async () => {
    const { catalog } = scripted([{ chunks: [line(1)] }, { chunks: [endLine(0, null)] }]);
    const { end } = await walk(catalog.exportAll({ view: 'id' }));
    expect(end).toMatchObject({ count: 1, last: 1 });
  });

  test.each([
    ['its end says so', [{ chunks: [line(1), endLine(1, 1, true)] }]],
    ['a load came between its parts', [{ chunks: [line(1)] }, { chunks: [endLine(0, null)], version: '2-x' }]],
  ])('has changed when %s', async (_, replies) => {
    const { end } = await walk(scripted(replies).catalog.exportAll());
    expect(end).toMatchObject({ catalog_version: VERSION, changed: true });
  });

  test('gives up after five tries in a row without a product, and says how to continue', async () => {
    const { catalog, urls } = scripted([
      { chunks: [line(1)] },
      { status: 503 },
      { chunks: [line(3)] },
      { status: 503 },
    ]);
    await expect(walk(catalog.exportAll({ view: 'id' }))).rejects.toMatchObject({
      message: `The export was cut, and 5 tries in a row brought no product. Continue with exportAll({ view: 'id', after: 3 }).`,
      cause: { status: 503 },
    });
    expect(urls).toHaveLength(3 + 5 - 1);
  });

  test.each([400, 404])('that is refused with %s while it resumes rejects with that problem', async (status) => {
    const { catalog, urls } = scripted([{ chunks: [line(1)] }, { status }]);
    await expect(walk(catalog.exportAll())).rejects.toMatchObject({ status });
    expect(urls).toHaveLength(2);
  });

  test('that is refused at first rejects at once', async () => {
    const { catalog, urls } = scripted([{ status: 503, retryAfter: '3' }]);
    await expect(walk(catalog.exportAll())).rejects.toMatchObject({ status: 503, retryAfter: 3 });
    expect(urls).toEqual(['/export?view=card']);
  });

  test('whose end counts other products than arrived is an error', async () => {
    const { catalog } = scripted([{ chunks: [line(1), endLine(2, 3)] }]);
    await expect(walk(catalog.exportAll())).rejects.toThrow('The end line counts 2 products, and 1 arrived.');
  });

  test('is not resumed after an abort, also while it waits', async () => {
    const leaving = new AbortController();
    const { catalog, urls } = scripted([{ chunks: [line(1)] }, { status: 503 }, { status: 503, retryAfter: '600' }]);
    const lines = catalog.exportAll({ signal: leaving.signal });
    await lines.next();
    const next = lines.next();
    while (urls.length < 3) await new Promise((resolve) => void setTimeout(resolve, 5));
    leaving.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
    expect(urls).toHaveLength(3);
  });
});

describe('an export of a worker', () => {
  const products = 20_000; // more than the kernel holds
  const served = serveCatalog(longProducts(products));
  let pieces = 0;
  beforeAll(() => {
    served.app.service.events.on('queried', (name) => (pieces += Number(name.startsWith('export_'))));
  });

  test('is read no faster than it is consumed, and ends when its reader leaves', async () => {
    const catalog = createCatalog({ url: served.app.url });
    const before = pieces;
    const slow = catalog.exportAll({ view: 'product' });
    const { value } = await slow.next();
    expect(value).toMatchObject({ id: 2, features: [] });
    const other = await walk(catalog.exportAll({ view: 'product' }));
    expect(other.end).toMatchObject({ count: products, changed: false });
    expect(pieces - before).toBeLessThan(2 * (products / 500)); // the slow one had as much time
    const { promise, resolve } = Promise.withResolvers();
    served.app.service.events.once('exported', resolve);
    await slow.return(/** @type {any} */ (undefined));
    expect(await promise).toBe('cut');
  });

  test('ends at an abort', async () => {
    const leaving = new AbortController();
    const lines = createCatalog({ url: served.app.url }).exportAll({ view: 'product', signal: leaving.signal });
    await lines.next();
    leaving.abort();
    await expect(walk(lines)).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('that loses its connection resumes, and has every product once', async () => {
    const catalog = createCatalog({ url: served.app.url });
    const lines = catalog.exportAll({ view: 'product' });
    const first = await lines.next();
    const ids = first.done ? [] : [first.value.id];
    const { client } = served.catalog;
    await client.query('ALTER TABLE catalog.product_documents RENAME TO away');
    const cut = new Promise((resolve) => void served.app.service.events.once('exported', resolve));
    const rest = walk(lines);
    expect(await cut).toBe('cut');
    await client.query('ALTER TABLE catalog.away RENAME TO product_documents');
    const { found, end } = await rest;
    ids.push(...found.map(({ id }) => id));
    expect([new Set(ids).size, ids.length, end.count]).toEqual([products, products, products]);
  });
});
