'use strict';

const { sendBulk } = require('../../helpers/bulk');
const { callerOf, failedChecks, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @type {ReturnType<typeof callerOf>} */
let call;
beforeAll(async () => {
  const scopes = ['content', 'history', 'stock', 'changes'];
  call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'integers', scopes }));
  await call('PATCH', '/products/1', { name: 'x' }); // so that it has revisions
});

const NUMBERS = [
  ...['2147483647', '2147483648', '4294967297', '9007199254740992', '9223372036854775807', '9223372036854775808'],
  ...['1e400', '1e9', '1e-400', '-0', '-1', '1.0', '1.5', '"1"', '007', 'null', '٣'],
];
let keys = 0;
const keyed = () => ({ 'Idempotency-Key': `integer-${(keys += 1)}` });
const tag = async () => ({ 'If-Match': String((await call('GET', '/products/1')).headers.get('etag')) });
const style = '"name":"x","original_price":"1","default?":true,"photos":[]';

/** @type {[place: string, send: (number: string) => Promise<{ status: number }>][]} */
const PLACES = [
  ['the id of a product', (n) => call('GET', `/products/${n}`)],
  ['the id of a product that is patched', (n) => call('PATCH', `/products/${n}`, {})],
  ['the id of a product that is deleted', (n) => call('DELETE', `/products/${n}`, undefined, { 'If-Match': '"x"' })],
  ['the id of a product whose stock is read', (n) => call('GET', `/products/${n}/stock`)],
  ['a revision', (n) => call('GET', `/products/1/revisions/${n}`)],
  ['a revision that is compared', (n) => call('GET', `/products/1/revisions/${n}/diff?to=1`)],
  ['the other revision', (n) => call('GET', `/products/1/revisions/1/diff?to=${n}`)],
  ['before', (n) => call('GET', `/products/1/revisions?before=${n}`)],
  ['limit of revisions', (n) => call('GET', `/products/1/revisions?limit=${n}`)],
  ['limit of changes', (n) => call('GET', `/changes?after=head&limit=${n}`)],
  ['an era', (n) => call('GET', `/changes?after=${n}.1`)],
  ['a commit', (n) => call('GET', `/changes?after=1.${n}`)],
  ['a change of a commit', (n) => call('GET', `/changes?after=1.0.${n}`)],
  ['a commit of a stream', (n) => call('GET', `/changes/stream`, undefined, { 'Last-Event-ID': encodeURI(`9.${n}`) })],
  ['a position', (n) => call('GET', `/writes/${n}`)],
  ['to of a rollback', async (n) => call('POST', '/products/1/rollback', `{"to":${n},"reason":"x"}`, await tag())],
  ['a related id', (n) => call('PATCH', '/products/1', `{"related":[${n}]}`)],
  ['an id in a patch', (n) => call('PATCH', '/products/1', `{"id":${n}}`)],
  ['the key of a style', (n) => call('PATCH', '/products/1', `{"styles":{${JSON.stringify(n)}:{${style},"skus":{}}}}`)],
  [
    'the key of a sku',
    (n) => call('PATCH', '/products/1', `{"styles":{"1":{"skus":{${JSON.stringify(n)}:{"size":"S"}}}}}`),
  ],
  [
    'the quantity of a new sku',
    (n) => call('PATCH', '/products/1', `{"styles":{"1":{"skus":{"new":{"size":"S","quantity":${n}}}}}}`, keyed()),
  ],
  ['a sku that is set', (n) => call('POST', '/stock', `{"set":[[${n},1]],"compare":"none"}`)],
  ['a quantity that is set', (n) => call('POST', '/stock', `{"set":[[37,${n}]],"compare":"none"}`)],
  ['a quantity that is expected', (n) => call('POST', '/stock', `{"set":[[37,1,${n}]]}`)],
  ['a sku that is adjusted', (n) => call('POST', '/stock', `{"adjust":[[${n},1]]}`, keyed())],
  ['an adjust', (n) => call('POST', '/stock', `{"adjust":[[37,${n}]]}`, keyed())],
  ['the id of a sku', (n) => call('PUT', `/skus/${n}/quantity`, { quantity: 1, compare: 'none' })],
  ['a quantity', (n) => call('PUT', '/skus/38/quantity', `{"quantity":${n},"compare":"none"}`)],
  ['an expected quantity', (n) => call('PUT', '/skus/38/quantity', `{"quantity":1,"was":${n}}`)],
  [
    'the id of a line',
    async (n) =>
      (await sendBulk(served.app.url, served.key, keyed()['Idempotency-Key'], `{"op":"patch","id":${n},"body":{}}\n`))
        .lines[0],
  ],
];

test.each(PLACES)('no number as %s is a failure of the writer', async (_, send) => {
  const found = await Promise.all(NUMBERS.map(async (number) => [number, (await send(number)).status]));
  expect(found.filter(([, status]) => Number(status) >= 500)).toEqual([]);
  expect(found.some(([, status]) => Number(status) >= 400)).toBe(true);
});

test('what was written of these numbers is served as its rows have it', async () => {
  expect(await failedChecks(served.catalog.client)).toEqual([]);
});
