'use strict';

const { failedChecks, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {(...call: Parameters<typeof served.call>) => ReturnType<typeof served.call>} */
const call = (...words) => served.call(...words);
const ANY = { 'If-Match': '*' };
/** @param {any} product @returns {any} what a client may write */
const content = ({ id, campus, created_at, updated_at, ...rest }) => rest;
/** @param {string} path @param {number} to @param {Record<string, string>} headers */
const rollBack = (path, to, headers) => call('POST', `${path}/rollback`, { to, reason: 'wrong' }, headers);

/** @returns {Promise<Record<string, string>>} the replies of product 1 without its times, and all quantities */
async function stored() {
  const { rows } = await served.catalog.client.query(`
    SELECT split_part(product.head, ',"created_at"', 1) AS head, features, related, body, card.head AS card, offer
    FROM catalog.product_documents AS product
    JOIN catalog.styles_documents USING (id)
    JOIN catalog.cards AS card USING (id)
    WHERE id = 1`);
  return rows[0];
}

test('a product has no revision before its first write', async () => {
  const { status, body } = await call('GET', '/products/1/revisions');
  expect([status, body.detail]).toEqual([404, 'Product 1 has no revision: it was never written, or does not exist.']);
});

test('each write leaves who, when, why and what; the first one also what the load had', async () => {
  const before = (await call('GET', '/products/2')).body;
  const who = { 'X-Actor': Buffer.from('Änne').toString('latin1'), 'X-Reason': 'winter sale', 'X-Request-Id': 'r-1' };
  const written = await call('PATCH', '/products/2', { default_price: '50', styles: { 7: { name: 'Red' } } }, who);
  const { revisions, before: more } = (await call('GET', '/products/2/revisions')).body;
  expect(more).toBeNull();
  expect(revisions).toEqual([
    {
      ...{ revision: 2, kind: 'update', at: written.body.updated_at, cursor: written.headers.get('catalog-cursor') },
      ...{ load_id: 1, actor: 'pim', on_behalf: 'Änne', reason: 'winter sale', request_id: 'r-1' },
      paths: ['/default_price', '/styles/7/name'],
    },
    {
      ...{ revision: 1, kind: 'load', at: written.body.updated_at, cursor: null, load_id: 1, actor: null },
      ...{ on_behalf: null, reason: null, request_id: null, paths: [] },
    },
  ]);
  const [first, second] = await Promise.all([1, 2].map((each) => call('GET', `/products/2/revisions/${each}`)));
  expect([first.body.content, second.body.content]).toEqual([content(before), content(written.body)]);
  const diff = await call('GET', '/products/2/revisions/1/diff?to=2');
  expect(diff.body).toEqual({
    ...{ from: 1, to: 2, paths: ['/default_price', '/styles/7/name'] },
    patch: { default_price: '50.00', styles: { 7: { name: 'Red' } } },
    reverse: { default_price: '69.50', styles: { 7: { name: 'Gold' } } },
  });
  expect((await call('GET', '/products/2/revisions/3')).status).toBe(404);
  expect((await call('GET', '/products/2/revisions?befor=1')).status).toBe(400);
});

test('a list of revisions is read in pieces', async () => {
  for (const name of ['a', 'b', 'c']) await call('PATCH', '/products/4', { name });
  const pieces = [];
  for (let tail = '?limit=3'; tail;) {
    const { revisions, before } = (await call('GET', `/products/4/revisions${tail}`)).body;
    pieces.push(revisions.map((/** @type {any} */ { revision }) => revision));
    tail = before && `?limit=3&before=${before}`;
  }
  expect(pieces).toEqual([[4, 3, 2], [1]]);
});

test('rolling everything back gives the replies of the load, with quantities', async () => {
  const loaded = await stored();
  const { body } = await call('GET', '/products/1');
  await call('PATCH', '/products/1', { styles: { 1: { skus: { 39: null } }, 2: null } });
  await served.catalog.client.query('UPDATE catalog.skus SET quantity = 9 WHERE id = 37');
  await served.catalog.client.query('UPDATE catalog.skus SET quantity = 8 WHERE id = 37');
  await call('PATCH', '/products/1', { name: 'x', related: [], features: [] });
  expect((await call('DELETE', '/products/1', undefined, ANY)).status).toBe(204);
  expect((await rollBack('/products/1', 1, ANY)).status).toBe(412);
  const back = await rollBack('/products/1', 1, { 'If-None-Match': '*' });
  expect([back.status, content(back.body)]).toEqual([201, content(body)]);
  expect(await stored()).toEqual(loaded);
  const { revisions } = (await call('GET', '/products/1/revisions')).body;
  expect(revisions.map((/** @type {any} */ { kind }) => kind)).toEqual([
    'rollback',
    'delete',
    'update',
    'update',
    'load',
  ]);
  expect(revisions[0]).toMatchObject({ reason: 'wrong', actor: 'pim' });
  expect(await failedChecks(served.catalog.client)).toEqual([]);
});

test('a deleted product that names itself as related comes back', async () => {
  const { body } = await call('GET', '/products/5');
  expect(body.related).toEqual([5, 2, 2]);
  await call('DELETE', '/products/5', undefined, ANY);
  const back = await rollBack('/products/5', 1, { 'If-None-Match': '*' });
  expect([back.status, content(back.body)]).toEqual([201, content(body)]);
});

test('a rollback needs a reason, a revision with content, and a precondition', async () => {
  const bare = await call('POST', '/products/1/rollback', { to: 1 }, ANY);
  expect([bare.status, bare.body.errors[0].pointer]).toEqual([422, '/reason']);
  expect((await rollBack('/products/1', 4, ANY)).body.errors).toEqual([{ pointer: '/to', detail: expect.any(String) }]);
  expect((await rollBack('/products/1', 99, ANY)).status).toBe(404);
  expect((await rollBack('/products/1', 3, {})).status).toBe(428);
  const same = await rollBack('/products/1', 1, ANY);
  expect([same.status, same.headers.get('catalog-revision')]).toEqual([200, '5']);
});

test('the reason of a rollback is in its body, or else in X-Reason', async () => {
  const reasons = [];
  for (const body of [{ to: 1, reason: 'body' }, { to: 2 }]) {
    await call('POST', '/products/2/rollback', body, { ...ANY, 'X-Reason': 'header' });
    reasons.push((await call('GET', '/products/2/revisions?limit=1')).body.revisions[0].reason);
  }
  expect(reasons).toEqual(['body', 'header']);
});

test('after another load, the next write first stores what that load had', async () => {
  const { client } = served.catalog;
  await client.query(`INSERT INTO catalog_meta.loads (id, state, fingerprint, directory, campus) OVERRIDING SYSTEM VALUE
    VALUES (2, 'live', '', '', 'hr-lax'); UPDATE catalog_meta.data_version SET load_id = 2`);
  await call('PATCH', '/products/4', { name: 'same load content' });
  await client.query("UPDATE catalog.products SET slogan = 'of the load' WHERE id = 2");
  await client.query(
    "UPDATE catalog.product_documents SET head = replace(head, 'Sun''s up', 'of the load') WHERE id = 2",
  );
  await call('PATCH', '/products/2', { name: 'another' });
  const kinds = async (/** @type {number} */ id) =>
    (await call('GET', `/products/${id}/revisions`)).body.revisions.map((/** @type {any} */ { kind }) => kind);
  expect(await kinds(4)).toEqual(['update', 'update', 'update', 'update', 'load']);
  expect(await kinds(2)).toEqual(['update', 'load', 'rollback', 'rollback', 'update', 'load']);
});

test('an id that a load has given to another product does not come back', async () => {
  await call('PATCH', '/products/1', { styles: { 2: null } });
  await served.catalog.client.query("INSERT INTO catalog.styles VALUES (2, 5, 'taken', NULL, 1, false)");
  const reply = await rollBack('/products/1', 1, ANY);
  expect([reply.status, reply.body.detail]).toEqual([409, 'The style 2 belongs to another product by now.']);
  await served.catalog.client.query('DELETE FROM catalog.styles WHERE id = 2');
});
