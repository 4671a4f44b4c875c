'use strict';

const { startService, until } = require('../../helpers/app');
const { readerOf } = require('../../helpers/readings');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {Awaited<ReturnType<typeof startService>>} */
let app;
beforeAll(async () => {
  app = await startService({ DATABASE_URL: served.catalog.dsn, VERSION_POLL_MS: 50 });
});
afterAll(() => app?.close());

/** @param {string} sql */
const query = async (sql) => (await served.catalog.client.query(sql)).rows;
const commits = async () => Number((await query('SELECT seq FROM catalog_log.head'))[0].seq);

/** @param {number} id @param {'hide' | 'publish'} kind @param {object} [body] */
async function ask(id, kind, body) {
  const answer = await served.call('POST', `/products/${id}/${kind}`, body);
  return { ...answer, reader: readerOf(app, String(answer.headers.get('catalog-cursor'))) };
}

/** @param {number} ms from now */
const inMs = (ms) => new Date(Date.now() + ms).toISOString();

describe('a hidden product', () => {
  afterAll(async () => {
    for (const id of [1, 2, 7]) await ask(id, 'publish');
  });

  test('is in no reply of a reader', async () => {
    const { status, body, reader } = await ask(7, 'hide');
    expect([status, body]).toEqual([200, { id: 7, hidden: true, from: null, until: null }]);
    for (const tail of ['', '/styles', '/related', '?include=offer,related'])
      expect(await reader.slug(`/products/7${tail}`)).toBe('hidden-product');
    const { headers, body: list } = await reader.get('/products?include=offer,styles,related');
    expect([headers['x-total-count'], list.map((/** @type {any} */ { id }) => id)]).toEqual(['4', [1, 2, 4, 5]]);
    expect(list[0].related.map((/** @type {any} */ { id }) => id)).toEqual([2]);
    expect((await reader.get('/products?ids=7,2')).body.map((/** @type {any} */ each) => each?.id)).toEqual([
      undefined,
      2,
    ]);
    expect((await reader.get('/products/1/related')).body).toEqual([2]);
    for (const view of ['card', 'product', 'full', 'id'])
      expect((await reader.exported(view)).map((line) => line.id ?? line)).toEqual([1, 2, 4, 5]);
    expect((await reader.exported('full'))[0].related_ids).toEqual([2]);
    expect(await failedChecks(served.catalog.client)).toEqual([]);
  });

  test('hides its skus', async () => {
    const { reader } = await ask(1, 'hide');
    expect((await reader.get('/skus?ids=37,40')).body).toEqual([null, null]);
    expect(await reader.slug('/skus/37')).toBe('unknown-sku');
    const { reader: later } = await ask(1, 'publish');
    expect((await later.get('/skus/37?include=card')).body).toMatchObject({ product_id: 1, card: { id: 1 } });
  });

  test('is read, written, stocked and named as related by a writer', async () => {
    await ask(7, 'hide');
    const { headers, body } = await served.call('GET', '/products/7');
    expect(JSON.parse(String(headers.get('catalog-hidden')))).toEqual({ id: 7, hidden: true, from: null, until: null });
    expect((await served.call('GET', '/products/1')).body.related).toEqual([7, 2]);
    const named = await served.call('PATCH', '/products/4', { related: [7, 2] });
    expect([named.status, named.body.related]).toEqual([200, [7, 2]]);
    expect((await served.call('PATCH', '/products/7', { name: 'Unseen' })).headers.get('catalog-revision')).toBe('2');
    expect(await failedChecks(served.catalog.client)).toEqual([]);
    const { reader } = await ask(7, 'publish');
    expect((await reader.get('/products/4/related')).body).toEqual([7, 2]);
    expect((await reader.get('/products/7')).body).toMatchObject({ name: 'Unseen', created_at: body.created_at });
    expect((await served.call('GET', '/products/7')).headers.get('catalog-hidden')).toBeNull();
    expect(await failedChecks(served.catalog.client)).toEqual([]);
  });

  test('that comes back as it was has its times and ETag, and no revision', async () => {
    const reader = readerOf(app, (await ask(2, 'publish')).headers.get('catalog-cursor') ?? '');
    const before = await reader.get('/products/2');
    await ask(2, 'hide');
    const after = await (await ask(2, 'publish')).reader.get('/products/2');
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
    expect((await served.call('GET', '/products/2')).headers.get('catalog-revision')).toBe('0');
  });

  test('stays hidden when it is deleted and brought back', async () => {
    const content = {
      name: 'New',
      slogan: '',
      description: '',
      category: 'x',
      default_price: '1',
      features: [],
      related: [],
      styles: {},
    };
    const { body } = await served.call('POST', '/products', content, { 'Idempotency-Key': 'new' });
    await ask(body.id, 'hide');
    const path = `/products/${body.id}`;
    expect((await served.call('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(204);
    expect((await ask(body.id, 'hide')).status).toBe(404);
    const head = `1.${await commits()}`;
    expect(await readerOf(app, head).slug(path)).toBe('unknown-product');
    expect((await served.call('PUT', path, content, { 'If-None-Match': '*' })).status).toBe(201);
    expect(await readerOf(app, `1.${await commits()}`).slug(path)).toBe('hidden-product');
    expect(await failedChecks(served.catalog.client)).toEqual([]);
    const { reader } = await ask(body.id, 'publish');
    expect((await reader.get(path)).body.name).toBe('New');
    await served.call('DELETE', path, undefined, { 'If-Match': '*' });
    expect(await failedChecks(served.catalog.client)).toEqual([]);
  });
});

describe('a request', () => {
  test('that is repeated changes nothing, also by its idempotency key', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const first = await served.call('POST', '/products/5/hide', { reason: 'why' }, key);
    const before = await commits();
    await ask(5, 'hide');
    await ask(5, 'publish');
    const again = await served.call('POST', '/products/5/hide', { reason: 'why' }, key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('catalog-cursor')).toBe(first.headers.get('catalog-cursor'));
    expect(await commits()).toBe(before + 1);
    const rows = await query(
      "SELECT asked ->> 'reason' AS reason, asked ->> 'actor' AS actor FROM catalog_meta.hidden_products WHERE id = 5",
    );
    expect(rows).toEqual([{ reason: null, actor: 'pim' }]);
  });

  test('is in the feed as an update of the product, and of those that name it', async () => {
    await ask(7, 'hide');
    const [commit] = await query(
      'SELECT created, updated, deleted, cards FROM catalog_log.commits ORDER BY seq DESC LIMIT 1',
    );
    expect(commit).toEqual({ created: [], updated: [1, 4, 7], deleted: [], cards: [7] });
    await ask(7, 'publish');
  });

  test.each([
    ['a day without a time', { from: '2036-12-24' }, '/from'],
    ['a time without a zone', { until: '2036-12-24T18:00:00' }, '/until'],
    ['a day that its month lacks', { from: '2036-02-30T18:00:00Z' }, '/from'],
    ['an hour that the day lacks', { from: '2036-02-20T25:00:00Z' }, '/from'],
    ['a number', { from: 2_000_000_000 }, '/from'],
    ['a time that has passed', { until: '2020-12-24T18:00:00Z' }, '/until'],
    ['times in the other order', { from: '2036-12-24T18:00:00Z', until: '2036-12-24T18:00:00+01:00' }, '/until'],
    ['another member', { hidden: true }, '/hidden'],
    ['no reason', { reason: '' }, '/reason'],
  ])('with %s is refused, and names it', async (_, body, pointer) => {
    for (const kind of /** @type {const} */ (['hide', 'publish'])) {
      const answer = await ask(5, kind, body);
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer]);
    }
  });

  test.each([
    ['hide', { from: 1 }, false, [false, 1, null]],
    ['hide', { until: 2 }, false, [true, null, 2]],
    ['hide', { from: 1, until: 2 }, false, [false, 1, 2]],
    ['hide', { from: 1, until: 2 }, true, [true, null, 2]],
    ['publish', { from: 1 }, true, [true, null, 1]],
    ['publish', { from: 1 }, false, [false, null, null]],
    ['publish', { until: 2 }, true, [false, 2, null]],
    ['publish', { from: 1, until: 2 }, true, [true, 2, 1]],
  ])('to %s with %j, hidden before: %s, plans %j', async (kind, times, wasHidden, [hidden, from, until]) => {
    const at = (/** @type {unknown} */ n) => (n ? `2036-12-24T18:00:0${n}.000Z` : null);
    await ask(5, wasHidden ? 'hide' : 'publish');
    const body = Object.fromEntries(Object.entries(times).map(([name, n]) => [name, at(n)]));
    const answer = await ask(5, /** @type {'hide' | 'publish'} */ (kind), body);
    expect(answer.body).toEqual({ id: 5, hidden, from: at(from), until: at(until) });
    await ask(5, 'publish');
  });

  test('needs a key for content, a known product, and JSON', async () => {
    expect((await ask(3, 'hide')).status).toBe(404);
    expect((await served.call('POST', '/products/5/hide', '{', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await served.call('POST', '/products/5/hide', undefined, { Authorization: '' })).status).toBe(401);
  });
});

test('a plan is carried out by the clock of the database, within two seconds', async () => {
  const [from, until2] = [inMs(1200), inMs(3200)];
  expect((await ask(2, 'hide', { from, until: until2 })).body).toEqual({ id: 2, hidden: false, from, until: until2 });
  const reader = readerOf(app, '1.0');
  for (const [slug, due] of /** @type {const} */ ([
    ['hidden-product', from],
    [200, until2],
  ])) {
    await until(async () => (await reader.slug('/products/2')) === slug);
    const lateMs = Date.now() - Date.parse(due);
    expect(lateMs).toBeGreaterThan(0);
    expect(lateMs).toBeLessThan(2000);
  }
  expect((await served.call('GET', '/products/2')).headers.get('catalog-hidden')).toBeNull();
}, 20_000);
