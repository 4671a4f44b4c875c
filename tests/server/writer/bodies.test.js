'use strict';

const { request } = require('node:http');

const { sendBytes } = require('../../helpers/http');
const { expectNothingWritten, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter(undefined, {
  WRITE_QUEUE_BYTES: 4 * 2 ** 20,
  HTTP_HEADERS_TIMEOUT_MS: 3000,
  HTTP_REQUEST_TIMEOUT_MS: 3000,
});
const style = { name: 'x', original_price: '5', 'default?': true, photos: [], skus: {} };
const product = {
  ...{ name: 'New', slogan: '', description: '', category: 'Shoes', default_price: '5', features: [], related: [] },
  styles: { new: style },
};
let keys = 0;
const post = (/** @type {unknown} */ body) =>
  served.call('POST', '/products', body, { 'Idempotency-Key': `body-${(keys += 1)}` });
const patch = (/** @type {unknown} */ body) => served.call('PATCH', '/products/1', body);
/** @param {{ status: number, body: any }} reply */
const outcome = ({ status, body }) => [status, body.type.slice('urn:catalog:problem:'.length)];
/** @param {{ body: any }} reply @returns {string[]} */
const pointers = ({ body }) => (body.errors ?? []).map((/** @type {any} */ { pointer }) => pointer);

expectNothingWritten(served);

/** @type {[what: string, change: object | ((product: any) => unknown), pointer: string][]} */
const INVALID = [
  ['a price that is a number', { default_price: 5.1 }, '/default_price'],
  ['a price with an exponent', { default_price: '1e3' }, '/default_price'],
  ['a negative price', { default_price: '-1' }, '/default_price'],
  ['a price with a sign in front of its digits', { default_price: '+1' }, '/default_price'],
  ['a price with digits of another script', { default_price: '١' }, '/default_price'],
  ['a price with 21 digits', { default_price: '1'.repeat(21) }, '/default_price'],
  [
    'a price of a style that is null',
    { styles: { new: { ...style, original_price: null } } },
    '/styles/new/original_price',
  ],
  ['a NUL', { name: 'a\0b' }, '/name'],
  ['half of a surrogate pair', { features: [{ feature: 'x', value: '\ud800' }] }, '/features/0/value'],
  ['a name that is a number', { name: 1 }, '/name'],
  ['a name that is missing', { name: undefined }, '/name'],
  ['an unknown member', { colour: 'red' }, '/colour'],
  ['an unknown member with a slash and a tilde', { 'a/b~c': 1 }, '/a~1b~0c'],
  ['an unknown member of a style', { styles: { new: { ...style, price: '1' } } }, '/styles/new/price'],
  ['a list instead of a map', { styles: [] }, '/styles'],
  ['a related id that is a text', { related: ['1'] }, '/related/0'],
  ['a related id above the largest integer', { related: [2147483648] }, '/related/0'],
  ['a related product that does not exist', { related: [1, 3] }, '/related/1'],
  [
    'a URL that runs a script',
    { styles: { new: { ...style, photos: [{ thumbnail_url: 'https://x', url: 'javascript:x' }] } } },
    '/styles/new/photos/0/url',
  ],
  ['a style with an id of its own', { styles: { 900: style } }, '/styles/900'],
  ['a style with an id of a load that another product has', { styles: { 7: style } }, '/styles/7'],
  ['a style with an id above the largest integer', { styles: { 9999999999: style } }, '/styles/9999999999'],
  ['a sku with an id of its own', { styles: { new: { ...style, skus: { 5: { size: 'S' } } } } }, '/styles/new/skus/5'],
  [
    'a negative quantity',
    { styles: { new: { ...style, skus: { new: { size: 'S', quantity: -1 } } } } },
    '/styles/new/skus/new/quantity',
  ],
  ['an id', { id: 7 }, '/id'],
  ['a time', { updated_at: '2026-01-01T00:00:00.000Z' }, '/updated_at'],
  ['more than 2,000 rows', { features: Array(2000).fill({ feature: 'a', value: null }) }, ''],
];

test.each(INVALID)('POST refuses %s', async (_, change, pointer) => {
  const reply = await post({ ...product, ...change });
  expect(outcome(reply)).toEqual([422, 'invalid-body']);
  expect(pointers(reply)).toContain(pointer);
});

test.each(
  /** @type {[what: string, patch: unknown, pointer: string][]} */ ([
    ['an unknown member that it removes', { nam: null }, '/nam'],
    ['a member that a product must have', { name: null }, '/name'],
    ['an unknown member of a sku', { styles: { 1: { skus: { 37: { sise: null } } } } }, '/styles/1/skus/37/sise'],
    ['the quantity of a sku', { styles: { 1: { skus: { 37: { quantity: 5 } } } } }, '/styles/1/skus/37/quantity'],
    ['another id', { id: 2 }, '/id'],
    ['a style of another product', { styles: { 7: style } }, '/styles/7'],
    ['a part of a style that it does not have', { styles: { 7: { name: 'x' } } }, '/styles/7/original_price'],
    ['a sku in a second style', { styles: { 2: { skus: { 37: { size: 'S' } } } } }, '/styles/2/skus/37'],
  ]),
)('PATCH refuses %s', async (_, body, pointer) => {
  const reply = await patch(body);
  expect(outcome(reply)).toEqual([422, 'invalid-body']);
  expect(pointers(reply)).toContain(pointer);
});

test.each([
  ['__proto__', '/__proto__'],
  ['constructor', '/constructor'],
])('a member %s is refused, and changes no object', async (name, pointer) => {
  for (const reply of [await post(`{"${name}":{"polluted":1}}`), await patch(`{"${name}":{"polluted":1}}`)])
    expect([...outcome(reply), pointers(reply).includes(pointer)]).toEqual([422, 'invalid-body', true]);
  expect(/** @type {any} */ ({}).polluted).toBeUndefined();
});

test.each(
  /** @type {[what: string, body: string, status: number, pointers: string[]][]} */ ([
    ['a member twice', '{"name":"a","n\\u0061me":"b"}', 422, ['/name']],
    ['a member twice in a list', '{"features":[{},{"value":1,"value":2}]}', 422, ['/features/1/value']],
    ['lists in lists', '['.repeat(100_000), 422, ['/0'.repeat(8)]],
    ['objects in objects', '{"a":'.repeat(100_000), 422, ['/a'.repeat(8)]],
    ['nothing', '', 400, []],
    ['no JSON', '{"name":}', 400, []],
    ['half of a text', '{"name":"x', 400, []],
    ['a list', '[]', 422, ['']],
    ['null', 'null', 422, ['']],
    ['a number', '1', 422, ['']],
  ]),
)('a body of %s is refused', async (_, body, status, wanted) => {
  const reply = await post(body);
  expect([reply.status, pointers(reply)]).toEqual([status, wanted]);
});

/** @param {Record<string, string>} headers @param {(call: import('node:http').ClientRequest) => void} write @returns {Promise<number | undefined>} */
const statusOf = (headers, write) =>
  new Promise((resolve, reject) => {
    const all = {
      Authorization: `Bearer ${served.key}`,
      'Idempotency-Key': 'raw',
      'Content-Type': 'application/json',
      ...headers,
    };
    const call = request(`${served.app.url}/products`, { method: 'POST', headers: all, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', reject);
    write(call);
  });

test('a body that is not UTF-8 is refused', async () => {
  expect(await statusOf({}, (call) => call.end(Buffer.from([0x22, 0xff, 0x22])))).toBe(400);
});

test('a body of more than 1 MB is refused, with its length known or not', async () => {
  const bytes = Buffer.alloc(2 ** 20 + 1, ' ');
  expect(await statusOf({ 'Content-Length': String(bytes.length) }, (call) => call.end(bytes))).toBe(413);
  expect(await statusOf({ 'Transfer-Encoding': 'chunked' }, (call) => call.end(bytes))).toBe(413);
  expect(await statusOf({ 'Content-Length': String(bytes.length), Expect: '100-continue' }, (call) => call.end())).toBe(
    413,
  );
});

test('bodies that are held together above WRITE_QUEUE_BYTES are refused', async () => {
  const held = Buffer.alloc(2 ** 20 - 10, ' ');
  /** @type {import('node:http').ClientRequest[]} */
  const open = [];
  const other = await prepareWrites(served.catalog, { name: 'other' }); // a key has at most half of them
  const waiting = [served.key, served.key, other, other].map((key) =>
    statusOf({ Authorization: `Bearer ${key}`, 'Content-Length': String(held.length + 1) }, (call) => {
      open.push(call);
      call.write(held);
    }),
  );
  let status;
  do status = await statusOf({}, (call) => call.end(Buffer.alloc(2 ** 17, ' ')));
  while (status !== 503); // until all four have arrived
  for (const call of open) call.end('x');
  expect(await Promise.all(waiting)).toEqual([400, 400, 400, 400]);
});

test.each([
  ['text/plain', {}],
  ['application/json', { 'Content-Encoding': 'gzip' }],
])('a body of type %s with %j is a 415', async (type, headers) => {
  expect(await statusOf({ 'Content-Type': type, ...headers }, (call) => call.end('{}'))).toBe(415);
});

test('PATCH takes only a merge patch, and says so', async () => {
  const reply = await served.call('PATCH', '/products/1', {}, { 'Content-Type': 'application/json' });
  expect([reply.status, reply.headers.get('accept-patch')]).toEqual([415, 'application/merge-patch+json']);
});

test('a body that does not arrive is a 408', async () => {
  const { http } = served.app.writer.ports;
  const head = `POST /products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: application/json\r\n`;
  expect(await sendBytes(http, `${head}Content-Length: 10\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 408 /);
});
