'use strict';

const { Rate, Share } = require('../../../server/writer/http/limits');
const { sendBulk } = require('../../helpers/bulk');
const { until } = require('../../helpers/app');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

/** @param {() => unknown} take @returns {any} the status of its problem */
function refusal(take) {
  try {
    return take();
  } catch (problem) {
    return /** @type {any} */ (problem).status;
  }
}

describe('a share', () => {
  test('gives a key half of it at most, and another key the rest', () => {
    const share = new Share(10, 'writes');
    share.take('noisy', 5);
    expect(refusal(() => share.take('noisy', 1))).toBe(429);
    share.take('other', 5);
    expect([refusal(() => share.take('third', 1)), refusal(() => share.take('noisy', 1))]).toEqual([503, 503]);
    share.free('noisy', 2);
    share.take('third', 1);
    share.take('noisy', 1);
  });

  test('takes back what work held, also when it fails', async () => {
    const share = new Share(2, 'writes');
    await expect(share.hold('key', 1, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await share.hold('key', 1, async () => refusal(() => share.take('key', 1)))).toBe(429);
    share.take('key', 1);
  });
});

describe('a rate', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  test('lets a key do what a second has at once, and then one after another', () => {
    const rate = new Rate(10);
    for (let count = 0; count < 10; count += 1) expect(rate.take('key')).toBe(0);
    expect(rate.take('key')).toBe(100);
    expect(rate.take('other')).toBe(0);
    jest.advanceTimersByTime(99);
    expect(rate.take('key')).toBe(0); // a part of the next is enough: it is owed
    expect(rate.take('key')).toBeGreaterThan(0);
    jest.advanceTimersByTime(10_000);
    for (let count = 0; count < 10; count += 1) expect(rate.take('key')).toBe(0);
    expect(rate.take('key')).toBe(100);
  });

  test('lets a key do much at once, and then wait for it', () => {
    const rate = new Rate(1000);
    expect(rate.take('key', 10_000)).toBe(0);
    expect(rate.take('key', 1)).toBe(9001);
    jest.advanceTimersByTime(9001);
    expect(rate.take('key', 10_000)).toBe(0);
  });
});

describe('a writer', () => {
  const served = serveWriter(undefined, { WRITE_QUEUE: 20, WRITE_RATE: 100 });

  test('answers a key that writes too much 429 with Retry-After, and other keys as always', async () => {
    const { catalog, app } = served;
    const [noisy, other] = [served.call, callerOf(app.url, await prepareWrites(catalog, { name: 'other' }))];
    await catalog.client.query('SELECT pg_advisory_lock(catalog_log.gate())'); // so that writes wait
    const waiting = Array.from({ length: 30 }, (_, index) => noisy('PATCH', '/products/1', { name: `${index}` }));
    /** @type {number[]} */
    const statuses = [];
    for (const each of waiting) each.then(({ status }) => statuses.push(status));
    await until(() => statuses.length === 20);
    expect(new Set(statuses)).toEqual(new Set([429]));
    const quiet = other('PATCH', '/products/2', { name: 'quiet' });
    await catalog.client.query('SELECT pg_advisory_unlock(catalog_log.gate())');
    expect((await quiet).status).toBe(200);
    const replies = await Promise.all(waiting);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.type).toBe('urn:catalog:problem:too-many-requests');
    expect(refused?.headers.get('retry-after')).toBe('1');
  });

  test('answers a key above its rate 429, and lets the lines of a bulk request wait', async () => {
    const key = await prepareWrites(served.catalog, { name: 'fast' });
    const { lines } = await sendBulk(
      served.app.url,
      key,
      'fast',
      Array.from({ length: 150 }, (_, index) => ({ op: 'patch', id: 4, body: { name: `${index % 2}` } })),
    );
    expect(lines.at(-1)).toMatchObject({ done: true, lines: 150, failed: 0 });
    const call = callerOf(served.app.url, key);
    // Refused before the database, and many at once: a loaded machine does not write 100 times a second, nor ask so often in turn.
    const refused = () => call('PATCH', '/products/5', {}, { 'Content-Type': 'text/plain' });
    let replies;
    do replies = await Promise.all(Array.from({ length: 50 }, refused));
    while (replies.every(({ status }) => status === 415));
    const limited = replies.filter(({ status }) => status !== 415);
    for (const { status, headers } of limited) expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  });
});
