'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { root } = require('../../../scripts/lib/runtime');
const { smallProduct } = require('../../helpers/bulk');
const { requireModule } = require('../../helpers/client');
const { idOf, manyProducts } = require('../../helpers/database');
const { prepareWrites, serveWriter } = require('../../helpers/writer');

/** @typedef {import('../../../server/client/write/catalog-writer.js').Writer} Writer @typedef {import('../../../server/client/write/catalog-writer.js').WriterOptions} Options */

/** @type {typeof import('../../../server/client/write/catalog-writer.js')} */
const { CatalogProblem, createWriter } = requireModule('../../server/client/write/catalog-writer.js');
const openapi = JSON.parse(fs.readFileSync(path.join(root, 'server/writer/openapi.json'), 'utf8'));

/** @template T @template R @param {AsyncGenerator<T, R, void>} items @returns {Promise<{ found: T[], end: R }>} */
async function all(items) {
  const found = [];
  for (;;) {
    const { done, value } = await items.next();
    if (done) return { found, end: value };
    found.push(value);
  }
}

describe('the functions are the operations of openapi.json', () => {
  const operations = Object.entries(openapi.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId: name, parameters, requestBody } = /** @type {any} */ (operation);
      const used = parameters.map(
        (/** @type {any} */ { $ref }) => openapi.components.parameters[$ref.split('/').at(-1)],
      );
      const of = (/** @type {string} */ place) =>
        used.flatMap((/** @type {any} */ one) => (one.in === place ? [one.name.toLowerCase()] : [])).sort();
      return {
        name,
        method: method.toUpperCase(),
        url,
        query: of('query'),
        headers: of('header'),
        type: Object.keys(requestBody?.content ?? {}),
      };
    }),
  );
  const leaving = new AbortController();
  /** With all options of each. */
  const options = /** @type {any} */ ({
    ifMatch: '*',
    ifDeleted: true,
    actor: 'Ann',
    reason: 'sale',
    idempotencyKey: 'k',
  });
  /** @type {Record<string, (writer: Writer) => Promise<unknown>>} */
  const calls = {
    createProduct: (writer) => writer.createProduct(smallProduct('x'), pick('actor', 'reason')),
    readProduct: (writer) => writer.readProduct(1),
    putProduct: (writer) => writer.putProduct(1, smallProduct('x'), options),
    patchProduct: (writer) => writer.patchProduct(1, {}, pick('actor', 'reason', 'ifMatch')),
    deleteProduct: (writer) => writer.deleteProduct(1, pick('actor', 'reason', 'ifMatch')),
    rollBack: (writer) => writer.rollBack(1, { to: 1 }, options),
    hide: (writer) => writer.hide(1, { until: '2036-12-24T18:00:00Z' }, pick('actor', 'reason')),
    publish: (writer) => writer.publish(1, {}, pick('actor', 'reason')),
    listRevisions: (writer) => writer.listRevisions(1, { before: 2, limit: 3 }),
    readRevision: (writer) => writer.readRevision(1, 2),
    diffRevisions: (writer) => writer.diffRevisions(1, 2, 3),
    readProductStock: (writer) => writer.readProductStock(1),
    changeStock: (writer) => writer.changeStock({ adjust: [[1, 2]] }, { respondAsync: true }),
    setQuantity: (writer) => writer.setQuantity(1, { quantity: 2 }, { respondAsync: true }),
    readWrite: (writer) => writer.readWrite(1),
    bulk: (writer) => writer.bulk([{ op: 'delete', id: 1 }], pick('actor', 'reason')).next(),
    listChanges: (writer) => writer.listChanges({ after: 'head', limit: 5, waitSeconds: 1 }),
    streamChanges: (writer) => writer.streamChanges({ after: 'head', signal: leaving.signal }).next(),
  };
  /** @param {string[]} names @returns {any} */
  const pick = (...names) => Object.fromEntries(names.map((name) => [name, options[name]]));

  test('and followChanges, which reads its pages', () => {
    const names = Object.keys(createWriter({ url: 'http://x', key: 'k' }));
    expect(names.sort()).toEqual([...operations.map(({ name }) => name), 'followChanges'].sort());
  });

  test.each(operations)(
    '$name sends $method $url with each of its headers',
    async ({ name, method, url, query, headers, type }) => {
      /** @type {any[]} */
      const sent = [];
      const answer = async (/** @type {string} */ to, /** @type {any} */ init) => {
        sent.push({ method: 'GET', headers: {}, ...init, url: new URL(to) });
        if (name === 'streamChanges') leaving.abort(); // it would never end
        return new Response('{"done":true}\n');
      };
      const writer = createWriter({ url: 'http://x', key: 'secret', fetch: answer });
      await calls[name](writer).catch((error) => void expect(error.name).toBe('AbortError'));
      const [request] = sent;
      const { authorization, 'content-type': contentType, accept, ...own } = request.headers;
      expect([authorization, request.method]).toEqual(['Bearer secret', method]);
      expect(request.url.pathname).toMatch(new RegExp(`^${url.replace(/\{\w+\}/g, '\\d+')}$`));
      expect([...request.url.searchParams.keys()].sort()).toEqual(query);
      expect([contentType].filter(Boolean)).toEqual(type);
      const wanted = name === 'streamChanges' ? [] : headers; // Last-Event-ID comes when it resumes
      expect(Object.keys(own).sort()).toEqual(wanted);
    },
  );
});

describe('a writer', () => {
  const served = serveWriter(manyProducts(700));
  /** @type {Writer} */
  let writer;
  let key = '';
  beforeAll(async () => {
    key = await prepareWrites(served.catalog, { name: 'all', scopes: ['content', 'history', 'stock', 'changes'] });
    writer = open();
  });
  /** @param {Partial<Options>} [options] */
  const open = (options) => createWriter({ url: served.app.url, key: async () => key, ...options });
  /** Loses the first answers: the service has done what they say. @param {number} count */
  function losing(count) {
    /** @type {string[]} */
    const keys = [];
    /** @type {any} */
    const send = async (/** @type {string} */ url, /** @type {any} */ init) => {
      keys.push(init.headers['idempotency-key']);
      const response = await fetch(url, init);
      if (keys.length > count) return response;
      await response.arrayBuffer();
      throw new TypeError('fetch failed');
    };
    return { keys, fetch: send };
  }

  test('creates, reads, changes, deletes and brings back a product', async () => {
    const made = await writer.createProduct(smallProduct('made'), { actor: 'Änne', reason: 'neu – 5 €' });
    const { id } = made.product;
    expect(made).toMatchObject({ product: { name: 'made' }, revision: 1, etag: expect.stringMatching(/^"/) });
    const patched = await writer.patchProduct(id, { name: 'patched' }, { ifMatch: made.etag });
    expect(await writer.readProduct(id)).toEqual({ ...patched, cursor: expect.any(String) });
    const { revision, cursor } = await writer.deleteProduct(id, { ifMatch: patched.etag });
    expect([revision, cursor]).toEqual([3, expect.stringMatching(/^\d+\.\d+$/)]);
    const back = await writer.rollBack(id, { to: 1, reason: 'too early' }, { ifDeleted: true });
    expect(back.product.name).toBe('made');
    const put = await writer.putProduct(id, back.product, { ifMatch: back.etag });
    expect(put.revision).toBe(back.revision);
    const { revisions } = await writer.listRevisions(id, { limit: 10 });
    expect(revisions.map(({ kind }) => kind)).toEqual(['rollback', 'delete', 'update', 'create']);
    expect(revisions.at(-1)).toMatchObject({ actor: 'all', on_behalf: 'Änne', reason: 'neu – 5 €' });
    expect(await writer.readRevision(id, 2)).toMatchObject({ content: { name: 'patched' } });
    expect(await writer.diffRevisions(id, 1, 2)).toMatchObject({ patch: { name: 'patched' } });
  });

  test('changes quantities', async () => {
    const { product } = await writer.createProduct(smallProduct('stocked'));
    const [{ skus }] = Object.values(product.styles);
    const sku = Number(Object.keys(skus)[0]);
    const added = await writer.changeStock({
      adjust: [
        [sku, 3],
        [2_000_000_000, 1],
      ],
    });
    expect(added).toMatchObject({ isApplied: true, operations: 2, rejected: [{ reason: 'unknown-sku' }] });
    expect(await writer.readWrite(added.position)).toMatchObject({ state: 'applied' });
    await expect(writer.setQuantity(sku, { quantity: 1, was: 4 })).rejects.toMatchObject({
      slug: 'conflict',
      members: { quantity: 5 },
    });
    await writer.setQuantity(sku, { quantity: 1, was: 5 });
    expect((await writer.readProductStock(product.id)).styles[0].skus).toEqual([{ sku, size: '7', quantity: 1 }]);
  });

  test('rejects with problems that have slug, errors and members', async () => {
    const wrong = writer.createProduct(/** @type {any} */ ({ ...smallProduct('x'), default_price: 5, category: null }));
    await expect(wrong).rejects.toBeInstanceOf(CatalogProblem);
    await expect(wrong).rejects.toMatchObject({ status: 422, slug: 'invalid-body' });
    const { errors } = await wrong.catch((error) => error);
    expect(errors.map((/** @type {any} */ { pointer }) => pointer).sort()).toEqual(['/category', '/default_price']);
    const stale = writer.patchProduct(idOf(1), { name: 'x' }, { ifMatch: '"AAAAAAAAAAAAAAAAAAAAAA"' });
    await expect(stale).rejects.toMatchObject({
      slug: 'precondition-failed',
      errors: [],
      members: { current: { etag: expect.any(String), revision: 0 } },
    });
    await expect(open({ key: 'ck_no' }).readProduct(idOf(1))).rejects.toMatchObject({ slug: 'unauthorized' });
  });

  test('repeats a write whose answer was lost with the same key, and writes it once', async () => {
    const lost = losing(2);
    const { product } = await open(lost).createProduct(smallProduct('once'));
    expect([lost.keys.length, new Set(lost.keys).size]).toEqual([3, 1]);
    const sku = Number(Object.keys(Object.values(product.styles)[0].skus)[0]);
    await open(losing(1)).changeStock({ adjust: [[sku, 5]] });
    expect((await writer.readProductStock(product.id)).styles[0].skus[0].quantity).toBe(7);
    const { rows } = await served.catalog.client.query("SELECT id FROM catalog.products WHERE name = 'once'");
    expect(rows).toEqual([{ id: product.id }]);
    const never = losing(9);
    await expect(open({ ...never, retry: 0 }).createProduct(smallProduct('x'))).rejects.toThrow('fetch failed');
    expect(never.keys).toHaveLength(1);
  });

  test('writes any number of lines, each once although answers are lost or cut', async () => {
    let requests = 0;
    const cutting = async (/** @type {string} */ url, /** @type {any} */ init) => {
      const response = await fetch(url, init);
      requests += 1;
      if (requests % 2 === 0) return response;
      const text = await response.text(); // half of the lines, and a piece of the next
      return new Response(text.slice(0, text.length / 2), { headers: response.headers });
    };
    async function* lines() {
      for (let index = 1; index <= 600; index += 1) {
        yield /** @type {const} */ ({ op: 'patch', id: idOf(index), body: { slogan: `line ${index}` } });
        if (index === 300) yield /** @type {const} */ ({ op: 'delete', id: 2_000_000_000, if_match: '*' });
      }
    }
    const { found, end } = await all(open({ fetch: cutting }).bulk(lines(), { actor: 'liner' }));
    expect(found.map(({ line }) => line)).toEqual(Array.from({ length: 601 }, (_, index) => index + 1));
    expect(end).toEqual({ lines: 601, failed: 1, cursor: expect.stringMatching(/^1\.\d+$/) });
    expect(found[300].problem).toBeInstanceOf(CatalogProblem);
    expect(found[300].problem).toMatchObject({ slug: 'unknown-product', status: 404 });
    expect(requests).toBe(4);
    const { rows } = await served.catalog.client.query(
      "SELECT count(*)::int AS revisions, count(DISTINCT product_id)::int AS products FROM catalog_log.revisions WHERE on_behalf = 'liner'",
    );
    expect(rows).toEqual([{ revisions: 600, products: 600 }]);
  });

  test('of a bulk that is cut for good yields what was done, then throws why', async () => {
    const long = /** @type {any} */ ({ op: 'patch', id: idOf(2), body: { name: 'x'.repeat(2 ** 20) } });
    const results = writer.bulk([{ op: 'patch', id: idOf(1), body: { name: 'before' } }, long]);
    const first = await results.next();
    expect(first.value).toMatchObject({ line: 1, status: 200 });
    await expect(all(results)).rejects.toMatchObject({ status: 413 });
  });
});
