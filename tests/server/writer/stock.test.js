'use strict';

const { until } = require('../../helpers/app');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'till', scopes: ['stock'] }));
});

const ASYNC = { Prefer: 'respond-async' };
let keys = 0;
const key = () => ({ 'Idempotency-Key': `stock-${(keys += 1)}` });
/** @param {object} body @param {Record<string, string>} [headers] */
const post = (body, headers) => call('POST', '/stock', body, headers);
/** @param {number} sku @param {object} body @param {Record<string, string>} [headers] */
const put = (sku, body, headers) => call('PUT', `/skus/${sku}/quantity`, body, headers);
/** @param {{ status: number, body: any }} reply */
const outcome = ({ status, body }) => [status, body.type?.slice('urn:catalog:problem:'.length)];
/** @param {number[]} ids */
const quantities = async (...ids) => {
  const { rows } = await served.catalog.client.query('SELECT id, quantity FROM catalog.skus WHERE id = ANY ($1)', [
    ids,
  ]);
  return ids.map((id) => rows.find((row) => row.id === id)?.quantity);
};
/** @param {number} position */
const applied = (position) => until(async () => (await call('GET', `/writes/${position}`)).body.state === 'applied');

test('operations are applied when the reply comes, and each rejected one is named', async () => {
  const set = [[37, 3, 8], [38, 9, 1], [999, 1, 1]]; // prettier-ignore
  const reply = await post({ adjust: [[37, -1], [39, 2], [998, 1]], set }, key()); // prettier-ignore
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      position: expect.any(Number),
      operations: 6,
      rejected: [
        { pointer: '/set/1', sku: 38, reason: 'not-as-expected', quantity: 0 },
        { pointer: '/set/2', sku: 999, reason: 'unknown-sku', quantity: null },
        { pointer: '/adjust/2', sku: 998, reason: 'unknown-sku', quantity: null },
      ],
    },
  ]);
  expect(await quantities(37, 38, 39)).toEqual([2, 0, 19]);
  const { rows } = await served.catalog.client.query("SELECT era || '.' || seq AS cursor FROM catalog_log.head");
  expect(reply.headers.get('catalog-cursor')).toBe(rows[0].cursor);
});

test('a quantity is set if it is what the client expects, or whatever it is', async () => {
  expect((await put(40, { quantity: 7, compare: 'none' })).body).toEqual({
    ...{ position: expect.any(Number), operations: 1, rejected: [] },
  });
  expect((await put(40, { quantity: 8, was: 7 })).status).toBe(200);
  const failed = await put(40, { quantity: 9, was: 7 });
  expect([...outcome(failed), failed.body.quantity]).toEqual([409, 'conflict', 8]);
  expect(outcome(await put(41, { quantity: 9, was: 7 }))).toEqual([404, 'unknown-sku']);
  expect(await quantities(40)).toEqual([8]);
});

test('a client that does not wait gets a position, and reads what became of it', async () => {
  const reply = await post({ set: [[37, 5, 999], [37, 6]], compare: 'none' }, ASYNC); // prettier-ignore
  const { position } = reply.body;
  expect([reply.status, reply.body]).toEqual([202, { position, operations: 2 }]);
  expect(reply.headers.get('preference-applied')).toBe('respond-async');
  expect(reply.headers.get('location')).toBe(`/writes/${position}`);
  await applied(position);
  for (const each of [position - 1, position])
    expect((await call('GET', `/writes/${each}`)).body).toEqual({
      ...{ position, operations: 2, state: 'applied' },
      rejected: [{ pointer: '/set/0', sku: 37, reason: 'not-as-expected', quantity: 2 }],
    });
  expect(await quantities(37)).toEqual([6]);
  for (const each of ['0', 'x', '999999', '99999999999999999999'])
    expect(outcome(await call('GET', `/writes/${each}`))).toEqual([404, 'unknown-write']);
});

test('a repeat with the same key gets the same answer and does nothing', async () => {
  const same = key();
  const body = { adjust: [[37, 10], [999, 1]] }; // prettier-ignore
  const [before] = await quantities(37);
  const first = await post(body, same);
  expect((await post(body, same)).body).toEqual(first.body);
  const unwaited = await post(body, { ...same, ...ASYNC });
  expect([unwaited.status, unwaited.body.position]).toEqual([202, first.body.position]);
  expect(outcome(await post({ adjust: [[37, 11]] }, same))).toEqual([422, 'idempotency-key-reused']);
  expect(await quantities(37)).toEqual([before + 10]);
});

test('requests that come together keep their own answers', async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0
        ? post({ adjust: [[39, 1], [1000 + index, 1]] }, key()) // prettier-ignore
        : put(index % 3 === 1 ? 2000 + index : 38, { quantity: index, compare: 'none' }),
    ),
  );
  for (const [index, reply] of replies.entries())
    if (index % 3 === 0)
      expect(reply.body.rejected).toEqual([expect.objectContaining({ sku: 1000 + index, pointer: '/adjust/1' })]);
    else expect(reply.status).toBe(index % 3 === 1 ? 404 : 200);
});

test('one transaction logs and applies what a client waits for, unless others wait before it', async () => {
  const isOne = async (/** @type {number} */ position) => {
    const { rows } = await served.catalog.client.query(
      'SELECT log.xmin = applied.xmin AS one FROM catalog_log.stock_log AS log, catalog_log.stock_applied AS applied WHERE log.pos = $1',
      [position],
    );
    return rows[0].one;
  };
  const first = await put(40, { quantity: 3, compare: 'none' });
  expect([first.status, await isOne(first.body.position)]).toEqual([200, true]);
  await put(40, { quantity: 4, compare: 'none' }, ASYNC);
  const behind = await put(40, { quantity: 5, was: 4 });
  expect([behind.status, await isOne(behind.body.position), await quantities(40)]).toEqual([200, false, [5]]);
});

test('a PUT of a quantity that is sent twice is done once', async () => {
  await put(39, { quantity: 17, compare: 'none' });
  const sell = { quantity: 16, was: 17 };
  const replies = [await put(39, sell), await put(39, sell)];
  expect(replies.map(({ status, body }) => [status, body.rejected])).toEqual([[200, []], [200, []]]); // prettier-ignore
  await post({ adjust: [[39, -1]] }, key());
  const late = await put(39, sell);
  expect([...outcome(late), late.body.quantity]).toEqual([409, 'conflict', 15]);
  const keyed = key();
  const both = [await put(39, { quantity: 14, was: 15 }, keyed), await put(39, { quantity: 14, was: 15 }, keyed)];
  expect(both[1]).toMatchObject({ status: 200, body: both[0].body });
  expect(outcome(await put(999, sell))).toEqual([404, 'unknown-sku']);
});

test('the log says whose operations it has', async () => {
  const { body } = await put(40, { quantity: 1, compare: 'none' });
  const { rows } = await served.catalog.client.query(
    'SELECT actors, requests FROM catalog_log.stock_log WHERE pos = $1',
    [body.position],
  );
  expect(rows).toEqual([{ actors: ['till'], requests: [1] }]);
});

test('a key needs the scope stock', async () => {
  for (const [method, path, body] of /** @type {const} */ ([
    ['POST', '/stock', { set: [[37, 1, 1]] }],
    ['PUT', '/skus/37/quantity', { quantity: 1, was: 1 }],
    ['GET', '/writes/1', undefined],
  ]))
    expect(outcome(await served.call(method, path, body))).toEqual([403, 'forbidden']);
});

describe('a body that is refused logs nothing', () => {
  const head = async () => (await served.catalog.client.query('SELECT pos FROM catalog_log.stock_head')).rows;
  /** @type {any} */
  let before;
  beforeAll(async () => (before = await head()));
  afterAll(async () => expect(await head()).toEqual(before));

  const many = (/** @type {number} */ length) => Array.from({ length }, () => [37, 1, 1]);
  test.each(
    /** @type {[what: string, body: unknown, pointer: string][]} */ ([
      ['no operation', {}, ''],
      ['empty lists', { set: [], adjust: [] }, ''],
      ['more than 10,000 operations', { set: many(10_001) }, '/set'],
      ['more than 10,000 operations together', { set: many(6000), adjust: Array(4001).fill([1, 1]) }, ''],
      ['a set without an expected quantity', { set: [[37, 1, 1], [37, 1]] }, '/set/1'], // prettier-ignore
      ['an unknown member', { sets: [] }, '/sets'],
      ['another kind of comparison', { set: [[37, 1]], compare: 'any' }, '/compare'],
      ['a sku that is a text', { set: [['37', 1, 1]] }, '/set/0/0'],
      ['a quantity that is a float', { set: [[37, 1.5, 1]] }, '/set/0/1'],
      ['a quantity below 0', { set: [[37, -1, 1]] }, '/set/0/1'],
      ['a quantity above the largest integer', { set: [[37, 2 ** 31, 1]] }, '/set/0/1'],
      ['an expected quantity that is null', { set: [[37, 1, null]] }, '/set/0/2'],
      ['a fourth number', { set: [[37, 1, 1, 1]] }, '/set/0'],
      ['an adjust with a third number', { adjust: [[37, 1, 1]] }, '/adjust/0'],
      ['an adjust that is too small', { adjust: [[37, -(2 ** 31)]] }, '/adjust/0/1'],
      ['a list', [[37, 1, 1]], ''],
      ['null', null, ''],
    ]),
  )('%s', async (_, body, pointer) => {
    const reply = await post(/** @type {any} */ (body), key());
    expect(outcome(reply)).toEqual([422, 'invalid-body']);
    expect(reply.body.errors[0].pointer).toBe(pointer);
  });

  test.each([
    ['members twice', '{"set":[[37,1,1]],"set":[]}', '/set'],
    ['lists in lists', `{"set":${'['.repeat(400_000)}`, `/set${'/0'.repeat(7)}`],
  ])('%s', async (_, body, pointer) => {
    const reply = await call('POST', '/stock', body);
    expect([...outcome(reply), reply.body.errors[0].pointer]).toEqual([422, 'invalid-body', pointer]);
  });

  test('an adjust without a key, a blind quantity, and another type', async () => {
    expect(outcome(await post({ adjust: [[37, 1]] }))).toEqual([428, 'precondition-required']);
    expect(outcome(await put(37, { quantity: 1 }))).toEqual([422, 'invalid-body']);
    expect(outcome(await put(0, { quantity: 1, was: 1 }))).toEqual([400, 'malformed-parameter']);
    expect((await post({ set: [[37, 1, 1]] }, { 'Content-Type': 'text/plain' })).status).toBe(415);
  });
});
