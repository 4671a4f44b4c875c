'use strict';

const { sendBulk, smallProduct } = require('../../helpers/bulk');
const { failedChecks, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
afterEach(async () => expect(await failedChecks(served.catalog.client)).toEqual([]));

/** @type {(...call: Parameters<typeof served.call>) => ReturnType<typeof served.call>} */
const call = (...words) => served.call(...words);
const ANY = { 'If-Match': '*' };
const etagOf = (/** @type {{ headers: Headers }} */ { headers }) => String(headers.get('etag'));
const outcome = (/** @type {{ status: number, body: any }} */ { status, body }) => [
  status,
  body.type.slice('urn:catalog:problem:'.length),
];
const style = { name: 'x', original_price: '1', 'default?': true, photos: [], skus: {} };
/** @param {any} product @returns {any} what a client may write */
const content = ({ id, campus, created_at, updated_at, ...rest }) => rest;

let keys = 0;
const newKey = () => `precondition-${(keys += 1)}`;

/** @returns {Promise<any>} a product of its own for a test, and its style */
async function made(/** @type {string} */ name) {
  const { body } = await call('POST', '/products', smallProduct(name), { 'Idempotency-Key': newKey() });
  const [styleId] = Object.keys(body.styles);
  return { path: `/products/${body.id}`, styleId, product: body };
}

describe('a write with new keys', () => {
  test.each([
    ['PATCH of a style', () => ({ styles: { new: style } })],
    [
      'PATCH of a sku',
      (/** @type {any} */ { styleId }) => ({ styles: { [styleId]: { skus: { new: { size: 'M' } } } } }),
    ],
    [
      'PUT of a style',
      (/** @type {any} */ { product }) => ({ ...content(product), styles: { ...product.styles, new: style } }),
    ],
  ])('%s needs more than If-Match: *, and a repeat adds nothing', async (what, bodyFor) => {
    const method = what.slice(0, what.indexOf(' '));
    const own = await made(what);
    const body = bodyFor(own);
    const bare = await call(method, own.path, body, ANY);
    expect([...outcome(bare), bare.body.detail]).toEqual([
      ...[428, 'precondition-required'],
      expect.stringContaining('Idempotency-Key'),
    ]);
    const keyed = { ...ANY, 'Idempotency-Key': newKey() };
    const [first, again] = [await call(method, own.path, body, keyed), await call(method, own.path, body, keyed)];
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    const tagged = { 'If-Match': `"old", ${etagOf(first)}` };
    const [more, late] = [await call(method, own.path, body, tagged), await call(method, own.path, body, tagged)];
    expect([more.status, late.status, (await call('GET', own.path)).body]).toEqual([200, 412, more.body]);
  });

  test('in a line of a bulk is protected by the key of the request', async () => {
    const { path, product } = await made('bulk');
    const line = { op: 'patch', id: product.id, if_match: '*', body: { styles: { new: style } } };
    for (let send = 0; send < 2; send += 1)
      expect((await sendBulk(served.app.url, served.key, 'lines', [line])).lines[0].status).toBe(200);
    expect(Object.keys((await call('GET', path)).body.styles)).toHaveLength(2);
  });
});

test.each(['', ',', 'abc', '*, "x"', '"x', "'x'"])('If-Match: %s is malformed', async (ifMatch) => {
  const { path, product } = await made(`malformed ${ifMatch}`);
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const body = method === 'DELETE' ? undefined : { ...content(product), name: 'y' };
    expect(outcome(await call(method, path, body, { 'If-Match': ifMatch }))).toEqual([400, 'malformed-request']);
  }
  const line = { op: 'delete', id: product.id, if_match: ifMatch };
  expect((await sendBulk(served.app.url, served.key, newKey(), [line])).lines[0].status).toBe(400);
  expect((await call('GET', path)).body).toEqual(product);
});

test('a weak ETag in If-Match is a 412 that says to send it without W/', async () => {
  const { path } = await made('weak');
  const read = await call('GET', path);
  const reply = await call('PATCH', path, { name: 'y' }, { 'If-Match': `W/${etagOf(read)}` });
  expect([...outcome(reply), reply.body.detail]).toEqual([412, 'precondition-failed', expect.stringContaining('W/')]);
  const packed = etagOf(read).replace(/"$/, '-gzip"');
  expect((await call('PATCH', path, { name: 'y' }, { 'If-Match': `"a" ,${packed},` })).status).toBe(200);
});

describe('a stale write', () => {
  test('PUT with the members that the server made is a 412, a repeat of one that was done a 200', async () => {
    const { path, product } = await made('stale');
    const before = await call('GET', path);
    const mine = { ...product, name: 'mine' };
    const own = { 'If-Match': etagOf(before) };
    const done = await call('PUT', path, mine, own);
    expect([done.status, done.body.name]).toEqual([200, 'mine']);
    expect(await call('PUT', path, mine, own)).toMatchObject({ status: 200, body: done.body });
    expect(outcome(await call('PUT', path, { ...product, name: 'late' }, own))).toEqual([412, 'precondition-failed']);
    const wrong = await call('PUT', path, { ...mine, id: 1 }, own);
    expect([wrong.status, wrong.body.errors]).toEqual([412, undefined]);
    const now = { 'If-Match': etagOf(done) };
    for (const [name, value] of Object.entries({ id: 1, campus: 'x', updated_at: product.updated_at }))
      expect((await call('PUT', path, { ...done.body, name: 'x', [name]: value }, now)).body.errors).toEqual([
        { pointer: `/${name}`, detail: 'cannot be changed. Leave it out.' },
      ]);
  });

  test('PATCH of what the product no longer has, or with an old time, is a 412', async () => {
    const { path, styleId, product } = await made('stale patch');
    const old = { 'If-Match': etagOf(await call('GET', path)) };
    await call('PATCH', path, { styles: { [styleId]: null } });
    for (const body of [{ styles: { [styleId]: { name: 'z' } } }, { name: 'z', updated_at: product.updated_at }]) {
      expect(outcome(await call('PATCH', path, body, old))).toEqual([412, 'precondition-failed']);
      expect(outcome(await call('PATCH', path, body))).toEqual([422, 'invalid-body']);
    }
    const lines = [{ op: 'patch', id: product.id, if_match: old['If-Match'], body: { updated_at: 'x' } }];
    expect((await sendBulk(served.app.url, served.key, 'stale', lines)).lines[0].status).toBe(412);
  });

  test('a rollback without a precondition is a 428, whatever it names', async () => {
    const { path } = await made('rollback');
    await call('PATCH', path, { name: 'z' });
    await call('DELETE', path, undefined, ANY);
    for (const to of [1, 3, 99])
      expect(outcome(await call('POST', `${path}/rollback`, { to, reason: 'x' }))).toEqual([
        428,
        'precondition-required',
      ]);
  });
});
