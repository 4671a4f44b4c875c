'use strict';

const { EventEmitter } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { loadConfig } = require('../../../server/config/config');
const { routeOf } = require('../../../server/routes');
const { codeDigest } = require('../../../server/observe/tracing/code-digest');
const { createRequestWatch } = require('../../../server/observe/tracing/requests');
const { createSampler } = require('../../../server/observe/tracing/sampler');
const { parentOf, sqlComment, traceIdOf, traceparentOf } = require('../../../server/observe/tracing/trace-context');

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('trace context', () => {
  test('a traceparent of W3C is read, of later versions too', () => {
    expect(parentOf(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      traceFlags: 1,
      isRemote: true,
    });
    expect(parentOf(`00-${traceId}-${spanId}-00`)?.traceFlags).toBe(0);
    expect(parentOf(`01-${traceId}-${spanId}-03-more`)?.traceFlags).toBe(1);
  });

  test('the header is found in any case, and two headers are ignored', () => {
    const raw = ['Host', 'catalog', 'x-a-header1', 'no', 'TraceParent', 'first'];
    expect(traceparentOf(raw)).toBe('first');
    expect(traceparentOf(raw.slice(0, 4))).toBeNull();
    expect(traceparentOf([...raw, 'traceparent', 'second'])).toBeNull();
  });

  test.each([
    null,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01x`,
  ])('%p is ignored, as the standard demands', (header) => {
    expect(parentOf(header)).toBeNull();
  });

  test("nginx's request id becomes the trace id, but a client's shorter one does not", () => {
    expect(traceIdOf(traceId)).toBe(traceId);
    for (const id of [undefined, 'order-1', '0'.repeat(32)]) expect(traceIdOf(id)).toBeNull();
  });

  test('nothing that a client sends can end the SQL comment', () => {
    const comment = sqlComment({ traceId, spanId }, "/a*/'; DROP TABLE x; --");
    expect(comment.slice(2, -2)).not.toMatch(/\*\/|;| /);
    expect(sqlComment({ traceId, spanId }, '/products')).toBe(
      `/*route='%2Fproducts',traceparent='00-${traceId}-${spanId}-01'*/`,
    );
  });
});

describe('a line of the access log', () => {
  /** @param {object} reply @param {import('node:http').RequestListener} [handle] */
  const lineOf = (reply, handle = () => {}) => {
    const writeLine = jest.fn();
    const config = loadConfig({ DATABASE_URL: 'postgres://x', ACCESS_LOG_RATIO: '1' });
    const watch = createRequestWatch({ config, routeOf, writeLine, tracing: null });
    const response = Object.assign(new EventEmitter(), { statusCode: 200, ...reply });
    const wanted = /** @type {any} */ ({ method: 'GET', url: '/products/8', headers: {}, rawHeaders: [] });
    watch(handle)(wanted, /** @type {any} */ (response));
    response.emit('close');
    expect(writeLine).toHaveBeenCalledTimes(1);
    return writeLine.mock.calls[0][0];
  };

  test('reports a client that disconnected before the end of the reply', () => {
    const whole = lineOf({ writableFinished: true });
    expect(whole).toMatchObject({ method: 'GET', route: '/products/:product_id', status: 200 });
    expect(whole).not.toHaveProperty('aborted');
    expect(lineOf({ writableFinished: false })).toMatchObject({ status: 200, aborted: true });
  });

  test('is written once for a reply in the turn of its request, without a listener', () => {
    const response = { writableEnded: false, writableFinished: false, destroyed: false, once: jest.fn() };
    const written = lineOf(response, (_req, res) => Object.assign(res, { writableEnded: true }));
    expect(written).toMatchObject({ status: 200 });
    expect(written).not.toHaveProperty('aborted');
    const left = { ...response, destroyed: true };
    expect(lineOf(left, (_req, res) => Object.assign(res, { writableEnded: true }))).toMatchObject({ aborted: true });
    expect(response.once).not.toHaveBeenCalled();
  });
});

describe('the sampler', () => {
  test('takes its share of the requests, and no more than its limit in a second', () => {
    let nowMs = 0;
    let draw = 0;
    const random = () => (draw += 0.01) % 1;
    const sampled = createSampler({ ratio: 0.1, maxPerSecond: 1000, random, now: () => nowMs });
    const taken = Array.from({ length: 1000 }, () => sampled()).filter(Boolean);
    expect(taken.length).toBeGreaterThan(80);
    expect(taken.length).toBeLessThan(120);
    const limited = createSampler({ ratio: 1, maxPerSecond: 5, now: () => nowMs });
    const burst = () => Array.from({ length: 100 }, () => limited(true)).filter(Boolean).length;
    expect(burst()).toBe(5);
    expect(burst()).toBe(0);
    // Spread over the second, and what was not used in a minute does not come at once.
    nowMs += 200;
    expect(burst()).toBe(1);
    nowMs += 60_000;
    expect(burst()).toBe(5);
  });

  test("follows the client's decision", () => {
    const sampled = createSampler({ ratio: 0, maxPerSecond: 10 });
    expect([sampled(), sampled(true)]).toEqual([false, true]);
  });
});

test.each([
  ['/products/8', '/products/:product_id'],
  ['/products/8/?x=1', '/products/:product_id'],
  ['/products?page=2', '/products'],
  ['/products/8/styles', '/products/:product_id/styles'],
  ['/products/8/styles/9', 'other'],
  ['/../etc/passwd', 'other'],
])('the route of %s is %s in logs and traces', (url, route) => {
  expect(routeOf(url)).toBe(route);
});

describe('the digest of the code', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  afterAll(() => fs.rmSync(home, { recursive: true }));
  const write = (/** @type {string} */ file, /** @type {string} */ text) => {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), text);
  };

  test('changes with code and packages, but not with the folder', () => {
    write('server/http/a.js', '1');
    write('package-lock.json', '{}');
    const seen = [codeDigest(home)];
    write('server/http/a.js', '2');
    seen.push(codeDigest(home));
    write('package-lock.json', '{"lockfileVersion": 3}');
    seen.push(codeDigest(home));
    expect(new Set(seen).size).toBe(3);
    fs.cpSync(home, `${home}-copy`, { recursive: true });
    expect(codeDigest(`${home}-copy`)).toBe(seen[2]);
    fs.rmSync(`${home}-copy`, { recursive: true });
  });
});
