'use strict';

const { ndjson, sendBulk } = require('../../helpers/bulk');
const { callerOf, failedChecks, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
const BOM = '\ufeff';
let keys = 0;
const newKey = () => `form-${(keys += 1)}`;
const patch = (/** @type {number} */ id, /** @type {string} */ name) => ({ op: 'patch', id, body: { name } });

/** @param {string} path @param {RequestInit} [init] @param {string} [key] */
async function send(path, init, key = served.key) {
  const headers = { Authorization: `Bearer ${key}`, ...init?.headers };
  const response = await fetch(`${served.app.url}${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
/** @param {string} type @param {string | Uint8Array<ArrayBuffer>} [body] */
const patched = (type, body = '{"slogan":"x"}') =>
  send('/products/2', { method: 'PATCH', headers: { 'Content-Type': type }, body });

describe('headers', () => {
  test.each(['bearer', 'BEARER', 'bEARER ', 'Bearer  '])('the scheme of a key may be written "%s"', async (scheme) => {
    const headers = { Authorization: `${scheme} ${served.key}` };
    expect((await send('/products/1', { headers })).status).toBe(200);
  });

  test.each(['Bearer', 'Bearerck', 'Bearer\t', 'Basic '])('the scheme of a key is not "%s"', async (scheme) => {
    const headers = { Authorization: `${scheme}${served.key}` };
    expect((await send('/products/1', { headers })).status).toBe(401);
  });

  test.each(['Respond-Async', 'wait=5,RESPOND-ASYNC', 'handling=lenient , respond-async;x=1', 'respond-async=""'])(
    'Prefer: %s lets a write of stock not wait',
    async (prefer) => {
      const key = await prepareWrites(served.catalog, { name: newKey(), scopes: ['stock'] });
      const body = { set: [[37, 8]], compare: 'none' };
      const reply = await callerOf(served.app.url, key)('POST', '/stock', body, { Prefer: prefer });
      expect([reply.status, reply.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    },
  );

  test.each([
    ['Wait=1', '1'],
    ['respond-async, WAIT = "1"', '1'],
    ['wait=1, wait=30', '1'],
    ['foo;wait=1', null],
    ['wait=x', null],
    ['wait=-1', null],
  ])('Prefer: %s of changes waits %s s', async (prefer, seconds) => {
    const key = await prepareWrites(served.catalog, { name: newKey(), scopes: ['changes'] });
    const reply = await send('/changes?after=head', { headers: { Prefer: prefer } }, key);
    expect([reply.status, reply.headers.get('preference-applied')]).toEqual([200, seconds && `wait=${seconds}`]);
  });

  test('Prefer: wait with more digits than a number has waits as long as is allowed', async () => {
    const key = await prepareWrites(served.catalog, { name: newKey(), scopes: ['changes', 'content'] });
    const waiting = send('/changes?after=head', { headers: { Prefer: `wait=${'9'.repeat(400)}` } }, key);
    await callerOf(served.app.url, key)('PATCH', '/products/7', { name: newKey() });
    expect((await waiting).headers.get('preference-applied')).toBe('wait=30');
  });
});

describe('a body', () => {
  test.each([
    ...['application/merge-patch+json', 'Application/Merge-Patch+JSON ; Charset=UTF-8'],
    ...['application/merge-patch+json;charset="utf8"', 'application/merge-patch+json; profile="a;charset=x"'],
  ])('of type %s is read', async (type) => {
    expect((await patched(type)).status).toBe(200);
  });

  test.each(['iso-8859-1', '"UTF-16"', 'us-ascii; charset=utf-8'])(
    'of charset %s is a 415 that names it',
    async (charset) => {
      const { status, text } = await patched(`application/merge-patch+json; charset=${charset}`);
      expect([status, JSON.parse(text).detail]).toEqual([415, expect.stringContaining('UTF-8')]);
      const init = { method: 'POST', body: ndjson([patch(2, 'x')]) };
      const headers = { 'Content-Type': `application/x-ndjson;charset=${charset}`, 'Idempotency-Key': newKey() };
      expect((await send('/bulk', { ...init, headers })).status).toBe(415);
    },
  );

  test('that is not UTF-8 is a 400, whatever its charset says', async () => {
    const body = Buffer.from('{"slogan":"ä"}', 'latin1');
    expect((await patched('application/merge-patch+json; charset=utf-8', body)).status).toBe(400);
    expect((await sendBulk(served.app.url, served.key, newKey(), '{"op":"\udc00"}\n')).lines[0].status).toBe(422);
  });

  test('may begin with a byte order mark', async () => {
    expect((await patched('application/merge-patch+json', `${BOM}{"slogan":"y"}`)).status).toBe(200);
    expect((await patched('application/merge-patch+json', `${BOM}${BOM}{}`)).status).toBe(400);
    expect((await patched('application/merge-patch+json', BOM)).status).toBe(400);
  });

  test('keeps the places of its prices as a load does, two at least, and has no exponents', async () => {
    for (const [sent, shown] of [
      ['100.000', '100.000'],
      ['100.1', '100.10'],
      ['0100', '100.00'],
    ]) {
      // prettier-ignore
      const { text } = await patched('application/merge-patch+json', JSON.stringify({ default_price: sent }));
      expect(JSON.parse(text).default_price).toBe(shown);
    }
    for (const price of ['1e2', '1,5', '.5', '5.', ' 5', '٥'])
      expect((await patched('application/merge-patch+json', JSON.stringify({ default_price: price }))).status).toBe(
        422,
      );
    expect(await failedChecks(served.catalog.client)).toEqual([]);
  });

  test('keeps the form of its letters, composed or not', async () => {
    for (const name of ['caf\u00e9', 'cafe\u0301']) {
      const { text } = await patched('application/merge-patch+json', JSON.stringify({ name }));
      expect(JSON.parse(text).name).toBe(name);
    }
  });
});

describe('lines of a bulk', () => {
  /** @param {string} text */
  const bulk = async (text) => {
    const { lines } = await sendBulk(served.app.url, served.key, newKey(), text);
    return lines.map(({ line, status, lines: count, failed }) => (line ? [line, status] : [count, failed]));
  };
  const [one, two] = [patch(4, 'one'), patch(5, 'two')].map((line) => JSON.stringify(line));

  test.each([
    ['ends of CRLF', `${one}\r\n${two}\r\n`],
    ['no last end', `${one}\n${two}`],
    ['a byte order mark', `${BOM}${one}\n${two}\n`],
  ])('with %s are all written', async (_, text) => {
    expect(await bulk(text)).toEqual([[1, 200], [2, 200], [2, 0]]); // prettier-ignore
  });

  test('that are blank are skipped, and the others keep their numbers', async () => {
    const text = `\n${one}\n\r\n  \t \n${two}\n{"op":\n\n`;
    expect(await bulk(text)).toEqual([[2, 200], [5, 200], [6, 400], [3, 1]]); // prettier-ignore
    expect(await bulk(`${BOM}\r\n\n`)).toEqual([[0, 0]]);
    expect(await bulk('')).toEqual([[0, 0]]);
    const tooLong = await bulk(`${one}\n\n${' '.repeat(2 ** 20)}${two}\n`);
    expect(tooLong).toEqual([[1, 200], [3, 413]]); // prettier-ignore
  });
});
