'use strict';

const { createBursts } = require('../../../server/observe/log');
const { createLog, logEvents } = require('../../../server/observe/log');
const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { unavailable } = require('../../../server/core/errors');

const password = 's3cret-pass%2Fword';
const licence = 'abcdef0123456789abcdef0123456789abcdNRAL';
const DATABASE_URL = `postgres://catalog_api:${password}@db.internal/catalog`;

/** A log whose lines can be read. @param {Record<string, string>} [settings] */
function readableLog(settings = {}) {
  /** @type {string[]} */
  const lines = [];
  const config = loadConfig({ DATABASE_URL, NEW_RELIC_LICENSE_KEY: licence, ...settings });
  const log = createLog(config, { write: (line) => void lines.push(line) });
  return { log, text: () => lines.join(''), lines: () => lines.map((line) => JSON.parse(line)) };
}

describe('the log', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('writes one line with a count for a burst of failures, and one in ten seconds for a flood', () => {
    const { log, lines } = readableLog();
    const events = createEvents();
    logEvents(events, log);
    for (let count = 0; count < 1000; count += 1)
      events.emit('shed', 'unavailable', unavailable('The database is away.'));
    expect(lines()).toEqual([]);
    jest.advanceTimersByTime(1000);
    expect(lines()).toMatchObject([{ level: 40, msg: 'answering 503', count: 1000 }]);
    for (let second = 0; second < 20; second += 1) {
      events.emit('shed', 'unavailable', unavailable('The database is away.'));
      jest.advanceTimersByTime(1000);
    }
    expect(lines().map(({ count }) => count)).toEqual([1000, 10, 10]);
  });

  test('writes a line for each kind of failure, with its first request', () => {
    const { log, lines } = readableLog();
    const events = createEvents();
    logEvents(events, log);
    const [one, other] = [new Error('one'), new TypeError('other')];
    other.stack = 'TypeError: other\n    at elsewhere (file.js:1:1)';
    for (const id of ['a', 'b']) {
      events.emit('handlerFailed', one, id, '/products/1');
      events.emit('handlerFailed', other, id, '/products/2');
    }
    jest.advanceTimersByTime(1000);
    expect(lines()).toMatchObject([
      { requestId: 'a', path: '/products/1', count: 2, err: { message: 'one' } },
      { requestId: 'a', path: '/products/2', count: 2, err: { message: 'other' } },
    ]);
    for (const id of ['c', 'd']) events.emit('handlerFailed', one, id, '/products/3');
    jest.advanceTimersByTime(10_000);
    expect(lines()[2]).toMatchObject({ requestId: 'c', path: '/products/3', count: 2 });
  });

  test('writes pending counts when the worker ends', () => {
    const { log, lines } = readableLog();
    const events = createEvents();
    const flush = logEvents(events, log);
    events.emit('redisFailed', new Error('gone'));
    flush();
    expect(lines()).toMatchObject([{ reason: 'gone', count: 1 }]);
  });

  test('limits its memory when all errors differ', () => {
    /** @type {number[]} */
    const counts = [];
    const { add } = createBursts();
    for (let kind = 0; kind < 1000; kind += 1) add(`kind ${kind}`, (count) => counts.push(count));
    jest.advanceTimersByTime(1000);
    expect(counts.length).toBeLessThanOrEqual(101);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1000);
  });

  test.each([
    ['a connection string in a message', { reason: `connect ${DATABASE_URL} refused` }],
    ['a password by itself, decoded', { detail: `password "${decodeURIComponent(password)}"` }],
    ['an error, with its stack', { err: new Error(`cannot use ${DATABASE_URL}`) }],
    ['deep inside an object', { a: { b: [{ connectionString: DATABASE_URL }] } }],
    ['the licence key', { headers: { 'api-key': licence } }],
    ['another URL with a password', { url: 'rediss://:hunter2-hunter2@cache:6379/0' }],
    ['a libpq string', { dsn: 'host=db user=x password=hunter2-hunter2' }],
  ])('contains no secret: %s', (_, fields) => {
    const { log, text } = readableLog();
    log.error(fields, 'failed');
    const secrets = [password, decodeURIComponent(password), licence, 'hunter2-hunter2'];
    expect(secrets.filter((secret) => text().includes(secret))).toEqual([]);
    expect(text()).toContain('[redacted]');
    expect(() => JSON.parse(text())).not.toThrow();
  });

  test.each([
    ['that of several servers', { DATABASE_URL: 'postgres://catalog_api:other-secret@db-1,db-2:5433/catalog' }],
    ["the collector's", { OTLP_TRACES_URL: 'https://user:other-secret@collector/v1/traces' }],
    ['one among parameters', { DATABASE_URL: 'postgres://x@/x?host=/run&password=other-secret' }],
  ])('contains no secret: %s password alone', (_, settings) => {
    const { log, text } = readableLog(settings);
    log.error({ detail: 'the word other-secret' }, 'failed');
    expect(text()).toContain('[redacted]');
    expect(text()).not.toContain('other-secret');
  });

  test.each(['qu"ote\\back', 'begins-with-a-secret'])(
    'contains no part of a secret: %s, escaped in JSON, beside a shorter one',
    (secret) => {
      const { log, text } = readableLog({
        DATABASE_URL: `postgres://x:${encodeURIComponent(secret)}@/x`,
        REDIS_URL: 'redis://:begins@cache:6379',
      });
      for (const detail of [`the word ${secret}`, `password=${secret}`, secret]) log.error({ detail }, 'failed');
      for (const part of ['ote', 'back', '-with-a']) expect(text()).not.toContain(part);
      expect(text().match(/\[redacted\]/g)).toHaveLength(3);
      for (const line of text().trim().split('\n')) JSON.parse(line);
    },
  );

  test('keeps other text readable', () => {
    const { log, lines } = readableLog();
    log.info({ url: '/products/1?after=2', host: 'http://127.0.0.1:9030/metrics' }, 'request');
    expect(lines()).toMatchObject([
      { url: '/products/1?after=2', host: 'http://127.0.0.1:9030/metrics', msg: 'request' },
    ]);
  });
});
