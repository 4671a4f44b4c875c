'use strict';

const { startService, until } = require('../../helpers/app');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {Awaited<ReturnType<typeof startService>>} */
let worker;
beforeAll(async () => {
  worker = await startService({ DATABASE_URL: served.catalog.dsn });
});
afterAll(() => worker?.close());
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

/** @typedef {Parameters<typeof served.call>} Call */
/** @type {(...call: Call) => ReturnType<typeof served.call>} */
const call = (...words) => served.call(...words);
const etagOf = (/** @type {{ headers: Headers }} */ { headers }) => String(headers.get('etag'));
const slugOf = (/** @type {{ body: any }} */ { body }) => body.type.slice('urn:catalog:problem:'.length);
/** @param {number} id */
const read = (id) => call('GET', `/products/${id}`);
/** @param {any} product @returns {any} what a client may write */
const content = ({ id, campus, created_at, updated_at, ...rest }) => rest;

/** @returns {Promise<any[]>} the commits so far, without their times */
async function commits() {
  const { rows } = await served.catalog.client.query('SELECT * FROM catalog_log.commits ORDER BY seq');
  return rows.map(({ at, ...commit }) => ({ ...commit, seq: Number(commit.seq) }));
}

/** @param {number} style @returns {Promise<Record<number, number>>} its quantities by sku */
async function quantities(style) {
  const { rows } = await served.catalog.client.query('SELECT id, quantity FROM catalog.skus WHERE style_id = $1', [
    style,
  ]);
  return Object.fromEntries(rows.map(({ id, quantity }) => [id, quantity]));
}

describe('a read', () => {
  test('has the ETag of the public reply, which is made from the same documents', async () => {
    const [own, open] = await Promise.all([read(1), fetch(`${worker.url}/products/1`)]);
    expect(etagOf(own)).toBe(open.headers.get('etag'));
    const { styles, related, ...rest } = own.body;
    expect(rest).toEqual(await open.json());
    expect(related).toEqual([7, 2]);
    expect(styles[2]).toEqual({
      ...{ name: 'Desert "\\" Brown', original_price: '140.00', sale_price: '99.995', 'default?': false },
      photos: [{ thumbnail_url: 'https://x/9s.jpg', url: 'https://x/9.jpg' }],
      skus: { 40: { size: 'One Size' } },
    });
  });

  test('of a style without photos and skus shows none of nulls', async () => {
    expect((await read(2)).body.styles[7]).toMatchObject({ photos: [], skus: {} });
  });

  test('of an unknown product is a 404', async () => {
    const reply = await read(3);
    expect([reply.status, slugOf(reply)]).toEqual([404, 'unknown-product']);
  });
});

test('a worker shows a write soon, and keeps its replies of other products', async () => {
  const read = async (/** @type {string} */ path) => (await fetch(`${worker.url}${path}`)).json();
  const counted = ['/products/1', '/products/1/styles', '/products/2/related'];
  for (const path of [...counted, ...counted, '/products/4', '/products/4']) await read(path); // L1 admits at the second request
  const { database } = worker.counts;
  await call('PATCH', '/products/4', { name: 'Seen' });
  await until(async () => (await read('/products/4')).name === 'Seen');
  const again = worker.counts.database;
  expect(again).toBeGreaterThan(database);
  for (const path of counted) await read(path);
  expect(worker.counts.database).toBe(again);
});

describe('PUT', () => {
  test('of what was read writes nothing, whatever If-Match says', async () => {
    const before = await read(1);
    const [count, reply] = [
      (await commits()).length,
      await call('PUT', '/products/1', before.body, { 'If-Match': '"old"' }),
    ];
    expect([reply.status, etagOf(reply), reply.body]).toEqual([200, etagOf(before), before.body]);
    expect(await commits()).toHaveLength(count);
  });

  test('replaces all content, keeps quantities and the creation time, and commits once', async () => {
    const before = await read(1);
    const { 37: gone, ...skus } = before.body.styles[1].skus;
    expect(gone).toBeDefined();
    const wanted = {
      ...content(before.body),
      ...{ name: 'Onesie', features: [{ feature: 'Fabric', value: null }], related: [1, 4, 4] },
      styles: {
        1: {
          ...before.body.styles[1],
          photos: [],
          skus: { ...skus, 'new-a': { size: 'XL', quantity: 3 }, new: { size: 'S' } },
        },
        new: {
          ...before.body.styles[1],
          name: 'Blue',
          photos: [{ thumbnail_url: 'https://x/1', url: 'http://x/2' }],
          skus: {},
        },
      },
    };
    const reply = await call('PUT', '/products/1', wanted, { 'If-Match': `${etagOf(before).slice(0, -1)}-gzip"` });
    expect(reply.status).toBe(200);
    const [blue, xl, small] = [1500000001, 1500000001, 1500000002];
    expect(content(reply.body)).toEqual({
      ...wanted,
      styles: {
        1: { ...wanted.styles[1], skus: { ...skus, [xl]: { size: 'XL' }, [small]: { size: 'S' } } },
        [blue]: wanted.styles.new,
      },
    });
    expect(await quantities(1)).toEqual({ 38: 0, 39: 17, [xl]: 3, [small]: 0 });
    expect(reply.body.created_at).toBe(before.body.created_at);
    expect(reply.body.updated_at > before.body.updated_at).toBe(true);
    expect(etagOf(reply)).not.toBe(etagOf(before));
    const [last] = (await commits()).slice(-1);
    expect(last).toMatchObject({ kind: 'content', load_id: 1, created: [], updated: [1], deleted: [], cards: [1] });
    expect(reply.headers.get('catalog-cursor')).toBe(`1.${last.seq}`);
  });

  test('with an old ETag is a 412 with the current one', async () => {
    const { headers, body } = await read(4);
    const reply = await call('PUT', '/products/4', { ...content(body), name: 'x' }, { 'If-Match': '"old"' });
    expect([reply.status, slugOf(reply), etagOf(reply)]).toEqual([412, 'precondition-failed', headers.get('etag')]);
    expect(reply.headers.get('catalog-revision')).toBe(headers.get('catalog-revision'));
  });

  test('of two writers with one ETag, one is a 412', async () => {
    const before = await read(5);
    const put = (/** @type {string} */ name) =>
      call('PUT', '/products/5', { ...content(before.body), name }, { 'If-Match': etagOf(before) });
    const replies = await Promise.all([put('one'), put('two')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test('without a precondition is a 428, and one that the product does not meet changes nothing', async () => {
    const { body } = await read(4);
    const bare = await call('PUT', '/products/4', { ...content(body), name: 'x' });
    expect([bare.status, slugOf(bare)]).toEqual([428, 'precondition-required']);
    const reply = await call('PUT', '/products/4', { ...content(body), name: 'x' }, { 'If-None-Match': '*' });
    expect(reply.status).toBe(412);
    expect((await call('PUT', '/products/3', content(body), { 'If-Match': '*' })).status).toBe(404);
    expect((await read(4)).body).toEqual(body);
  });

  test('moves a sku to another style with its quantity', async () => {
    const { body } = await read(1);
    const [first, second] = Object.keys(body.styles);
    const { 39: moved, ...left } = body.styles[first].skus;
    body.styles[first].skus = left;
    body.styles[second].skus = { 39: moved };
    expect((await call('PUT', '/products/1', body, { 'If-Match': '*' })).status).toBe(200);
    expect(await quantities(Number(second))).toEqual({ 39: 17 });
    expect((await quantities(Number(first)))[39]).toBeUndefined();
  });
});

describe('PATCH', () => {
  test('changes what it names, and null removes', async () => {
    const before = await read(2);
    const patch = { default_price: '007.5', styles: { 7: { sale_price: '9.90' } } };
    const reply = await call('PATCH', '/products/2', patch);
    expect(reply.body).toMatchObject({ default_price: '7.50', styles: { 7: { sale_price: '9.90', name: 'Gold' } } });
    const back = await call('PATCH', '/products/2', { default_price: '69.5', styles: { 7: { sale_price: null } } });
    expect(content(back.body)).toEqual(content(before.body));
    expect(back.headers.get('catalog-revision')).toBe('3'); // the load, and two patches
    const gone = await call('PATCH', '/products/2', { styles: { 7: null } });
    expect(gone.body.styles).toEqual({});
  });

  test('of nothing new writes nothing', async () => {
    const before = await read(4);
    const reply = await call('PATCH', '/products/4', { name: before.body.name, id: 4 });
    expect([reply.status, etagOf(reply)]).toEqual([200, etagOf(before)]);
  });

  test('with a new key needs a precondition, or it could be done twice', async () => {
    const patch = { styles: { new: { name: 'x', original_price: '1', 'default?': true, photos: [], skus: {} } } };
    expect((await call('PATCH', '/products/4', patch)).status).toBe(428);
    expect((await call('PATCH', '/products/4', patch, { 'If-Match': etagOf(await read(4)) })).status).toBe(200);
  });

  test('of one product by many callers loses none of their fields', async () => {
    const names = ['name', 'slogan', 'description', 'category'];
    const replies = await Promise.all(names.map((name) => call('PATCH', '/products/7', { [name]: `by ${name}` })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await read(7)).body).toMatchObject(Object.fromEntries(names.map((name) => [name, `by ${name}`])));
  });
});

describe('POST and DELETE', () => {
  const product = {
    ...{ name: 'New', slogan: '', description: '', category: 'Shoes', default_price: '5', features: [], related: [7] },
    styles: {
      new: { name: 'x', original_price: '5', 'default?': true, photos: [], skus: { new: { size: '7', quantity: 2 } } },
    },
  };

  test('a product is made, found in lists, deleted, and leaves the lists of related products', async () => {
    const made = await call('POST', '/products', product, { 'Idempotency-Key': 'make' });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/products/${made.body.id}`]);
    expect(made.body.id).toBeGreaterThan(1_500_000_000);
    const { id } = made.body;
    expect((await (await fetch(`${worker.url}/products?after=7`)).json())[0].id).toBe(id);
    const linked = await call('PATCH', '/products/4', { related: [id, 7, id] });
    expect(linked.body.related).toEqual([id, 7, id]);

    expect((await call('DELETE', `/products/${id}`)).status).toBe(428);
    const gone = await call('DELETE', `/products/${id}`, undefined, { 'If-Match': etagOf(made), 'X-Reason': 'wrong' });
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await commits()).at(-1)).toMatchObject({ updated: [4], deleted: [id], cards: [id] });
    const left = await read(4);
    expect(left.body.related).toEqual([7]);
    const { rows } = await served.catalog.client.query(
      'SELECT reason, paths FROM catalog_log.revisions WHERE product_id = 4 ORDER BY revision DESC LIMIT 1',
    );
    expect(rows).toEqual([{ reason: 'wrong', paths: ['/related'] }]);
    for (const tag of ['*', etagOf(made)])
      expect((await call('DELETE', `/products/${id}`, undefined, { 'If-Match': tag })).status).toBe(204);
    expect((await read(id)).status).toBe(404);
  });

  test('a deletion of what another product names waits for its index', async () => {
    await served.catalog.client.query('DROP INDEX catalog.related_by_target');
    const reply = await call('DELETE', '/products/7', undefined, { 'If-Match': '*' });
    expect([reply.status, slugOf(reply), reply.headers.get('retry-after')]).toEqual([503, 'writes-paused', '1']);
    await served.catalog.client.query('CREATE INDEX related_by_target ON catalog.related (related_product_id)');
  });

  test('a repeat with the same idempotency key gets the same reply and makes nothing', async () => {
    expect((await call('POST', '/products', product)).status).toBe(428);
    const key = { 'Idempotency-Key': 'once' };
    const replies = await Promise.all([
      call('POST', '/products', product, key),
      call('POST', '/products', product, key),
    ]);
    const made = replies.find(({ status }) => status === 201);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const count = (await commits()).length;
    const again = await call('POST', '/products', product, key);
    expect([again.status, again.body]).toEqual([201, made?.body]);
    for (const name of ['etag', 'location', 'catalog-cursor', 'catalog-revision'])
      expect(again.headers.get(name)).toBe(made?.headers.get(name));
    const other = await call('POST', '/products', { ...product, name: 'Other' }, key);
    expect([other.status, slugOf(other)]).toEqual([422, 'idempotency-key-reused']);
    expect(await commits()).toHaveLength(count);
  });

  test('a deleted product is brought back by a PUT that says so', async () => {
    const made = await call('POST', '/products', product, { 'Idempotency-Key': 'back' });
    const path = `/products/${made.body.id}`;
    await call('DELETE', path, undefined, { 'If-Match': '*' });
    expect((await call('PUT', path, content(made.body), { 'If-Match': '*' })).status).toBe(412);
    const back = await call('PUT', path, content(made.body), { 'If-None-Match': '*' });
    expect([back.status, content(back.body)]).toEqual([201, content(made.body)]);
    const [style] = Object.keys(made.body.styles);
    expect(Object.values(await quantities(Number(style)))).toEqual([2]);
    await call('DELETE', path, undefined, { 'If-Match': '*' });
  });
});
