'use strict';

const { request } = require('node:http');

/** @type {any} */
const document = require('../../../server/writer/openapi.json');
const { linesIn } = require('../../helpers/bulk');
const { sendBytes } = require('../../helpers/http');
const { expectNothingWritten, prepareWrites, serveWriter } = require('../../helpers/writer');

/*
 * No route that writes may do this with a body, whatever it is: answer something else than a problem, change anything, or stop. The
 * routes are those of the document.
 */
const served = serveWriter(undefined, { HTTP_HEADERS_TIMEOUT_MS: 1000, HTTP_REQUEST_TIMEOUT_MS: 1000 });
let key = '';
beforeAll(async () => {
  key = await prepareWrites(served.catalog, { name: 'all', scopes: ['content', 'stock'] });
});

/** @typedef {{ method: string, path: string, type: string, wrap: (body: Buffer) => Buffer }} Target */
const asItIs = (/** @type {Buffer} */ body) => body;
/** @param {string} before @param {string} after */
const within = (before, after) => (/** @type {Buffer} */ body) =>
  Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);

/** @type {[name: string, target: Target][]} */
const TARGETS = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(/** @type {Record<string, any>} */ (methods)).flatMap(([method, { requestBody }]) => {
    const path = template.replace('{product_id}', '1').replace('{sku_id}', '37');
    return Object.keys(requestBody?.content ?? {}).flatMap((type) => {
      const target = { method: method.toUpperCase(), path, type, wrap: asItIs };
      const name = `${target.method} ${template}`;
      /** @type {[string, Target][]} */
      const targets = [[name, target]];
      if (path === '/bulk')
        targets.push([`${name}, the body of a line`, { ...target, wrap: within('{"op":"patch","id":1,"body":', '}') }]);
      return targets;
    });
  }),
);

let keys = 0;
/** @param {Target} target */
const headersOf = ({ type }) => ({
  ...{ Authorization: `Bearer ${key}`, 'Content-Type': type, 'If-Match': '*' },
  ...{ 'Idempotency-Key': `hostile-${(keys += 1)}` },
});

/** @param {Target} target @param {Buffer} body @returns {Promise<{ status: number, problem: any }>} of the first line, in a bulk request */
async function send(target, body) {
  const { method, path, wrap } = target;
  const reply = await fetch(served.app.url + path, {
    method,
    headers: headersOf(target),
    body: new Uint8Array(wrap(body)),
  });
  const text = await reply.text();
  if (reply.status !== 200) return { status: reply.status, problem: JSON.parse(text) };
  const [first] = linesIn(text);
  return { status: first.status, problem: first.problem };
}

expectNothingWritten(served);
afterEach(() => {
  expect(/** @type {any} */ ({}).polluted).toBeUndefined();
});

const KB = 1024;
/** @type {[what: string, body: string | Buffer, statuses: number[]][]} */
const BODIES = [
  ['lists in lists', '['.repeat(400 * KB), [422]],
  ['closed lists in lists', '['.repeat(200 * KB) + ']'.repeat(200 * KB), [422]],
  ['objects in objects', '{"a":'.repeat(150 * KB), [422]],
  ['a member __proto__', '{"__proto__":{"polluted":1}}', [422]],
  ['a member constructor', '{"constructor":{"prototype":{"polluted":1}}}', [422]],
  ['__proto__ in a map', '{"styles":{"__proto__":{"polluted":1}}}', [422]],
  ['a NUL in a text', '{"name":"a\\u0000b"}', [422]],
  ['a NUL in a name', '{"na\\u0000me":"b"}', [422]],
  ['half of a surrogate pair', '{"name":"\\ud83d"}', [422]],
  ['a price that is a number', '{"default_price":5.1}', [422]],
  ['a number that is infinite', '{"default_price":1e999}', [422]],
  ['a number of a million digits', `{"related":[${'9'.repeat(900 * KB)}]}`, [422]],
  ['an id that is no integer', '{"related":[1.5]}', [422]],
  ['a negative id', '{"related":[-1]}', [422]],
  ['a member twice', '{"name":"a","name":"b"}', [422]],
  ['a hundred thousand members', `{${Array.from({ length: 50_000 }, (_, i) => `"m${i}":1`).join()}}`, [422]],
  ['a list', '[]', [422]],
  ['null', 'null', [422]],
  ['NaN', '{"default_price":NaN}', [400]],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), [400]],
  ['a NUL as a byte', Buffer.from('{"name":"a\0b"}'), [400]],
  ['two byte order marks', '\ufeff\ufeff{}', [400]],
  ['JavaScript', '{name:"a"}', [400]],
  ['half of an escape', '{"name":"\\u00"}', [400]],
];

describe.each(TARGETS)('%s', (_, target) => {
  test.each(BODIES)('refuses %s', async (what, body, statuses) => {
    const { status, problem } = await send(target, Buffer.from(body));
    expect(statuses).toContain(status);
    expect(problem.errors?.[0].pointer ?? '').toMatch(/^(\/|$)/);
    if (status === 422) expect(problem.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(problem).length).toBeLessThan(16 * KB);
  });

  test('stops reading a body without an end', async () => {
    const { method, path, wrap } = target;
    const call = request(served.app.url + path, { method, headers: headersOf(target), agent: false });
    const over = new Promise((resolve) => call.on('close', resolve).on('error', () => {}));
    call.on('response', (response) => response.resume());
    call.write(wrap(Buffer.from('{"name":"')));
    const piece = Buffer.alloc(2 ** 20, 'x');
    let sent = 0;
    for (; sent < 1024 && !call.destroyed; sent += 1)
      if (!call.write(piece)) await Promise.race([over, new Promise((resolve) => void call.once('drain', resolve))]);
    expect(sent).toBeLessThan(300); // MB: what it drops until the client has read the reply, of a GB
    await over;
  });

  /** @type {[what: string, headers: string, body: string, reply: RegExp][]} */
  const MESSAGES = [
    [
      'a body longer than its length',
      'Content-Length: 2',
      '[]{}{}', // as long as it says, no route takes it
      /^HTTP\/1\.1 4\d\d |^HTTP\/1\.1 200 .*"status":4/s,
    ],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3', '[]', /^HTTP\/1\.1 400 /],
    [
      'a length beside chunks',
      'Content-Length: 2\r\nTransfer-Encoding: chunked',
      '2\r\n[]\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['a negative length', 'Content-Length: -1', '{}', /^HTTP\/1\.1 400 /],
    ['a chunk of a wrong length', 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n', /^HTTP\/1\.1 (400|200) /],
    [
      'ten thousand headers',
      Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1`).join('\r\n'),
      '',
      /^HTTP\/1\.1 431 /,
    ],
  ];

  // A bulk request may pause for longer than this test.
  if (target.path !== '/bulk')
    MESSAGES.push(['a body that does not arrive', 'Content-Length: 100', '{"na', /^HTTP\/1\.1 408 /]);

  test.each(MESSAGES)('ends the connection of %s', async (_what, headers, body, reply) => {
    const { http } = served.app.writer.ports;
    const own = Object.entries(headersOf(target)).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${target.method} ${target.path} HTTP/1.1\r\nHost: x\r\n${own.join('')}${headers}\r\n\r\n`;
    expect(await sendBytes(http, head + body)).toMatch(reply);
  });
});
