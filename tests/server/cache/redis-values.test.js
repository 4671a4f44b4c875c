'use strict';

const { Redis } = require('ioredis');

const { Breaker } = require('../../../server/cache/breaker');
const { Entry } = require('../../../server/cache/entry');
const { pack, unpack } = require('../../../server/cache/l2');
const { L2 } = require('../../../server/cache/l2');
const { RedisBytes } = require('../../../server/cache/redis');
const { redisOptions } = require('../../../server/cache/redis');
const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');

const entry = () => new Entry('7/styles/1', Buffer.from('{"ü":1}'), { annotation: '<x>; rel="next"' });

describe('values in Redis', () => {
  test('are read as they were written', () => {
    const { key, body, annotation, digest } = entry();
    expect(unpack(key, pack(entry()))).toMatchObject({ key, body, annotation, digest });
  });

  test('may be an empty body without annotation', () => {
    expect(unpack('k', pack(new Entry('k', Buffer.alloc(0))))).toMatchObject({ annotation: '' });
  });

  test('are corrupt if any byte was changed', () => {
    const good = pack(entry());
    for (let at = 0; at < good.length; at += 1) {
      const bad = Buffer.from(good);
      bad[at] ^= 1;
      expect(unpack('7/styles/1', bad)).toBeNull();
    }
  });

  test('are corrupt if they were cut anywhere', () => {
    const good = pack(entry());
    for (let length = 0; length < good.length; length += 1)
      expect(unpack('7/styles/1', good.subarray(0, length))).toBeNull();
  });

  test.each(['not json', '{"__proto__":1}', '', 'catalog/1\n', '\xff'.repeat(200)])(
    'foreign value %j is a miss',
    (text) => expect(unpack('k', Buffer.from(text))).toBeNull(),
  );

  test('a value of another key is a miss', () => {
    expect(unpack('7/styles/2', pack(entry()))).toBeNull();
  });

  test('a corrupt value is deleted and counted', async () => {
    const events = createEvents();
    const corrupted = jest.fn();
    events.on('corrupted', corrupted);
    const redis = { get: async () => Buffer.from('foreign'), set: jest.fn(), delete: jest.fn() };
    const options = { ttlMs: 1000, maxValueBytes: 100, events };
    const l2 = new L2(/** @type {any} */ (redis), options);
    expect(await l2.get('k')).toBeNull();
    expect(redis.delete).toHaveBeenCalledWith('k');
    expect(corrupted).toHaveBeenCalledWith('k');
  });

  test.each([
    ['of ours, written while the limit was higher,', 0, pack(new Entry('k', Buffer.alloc(10_000)))],
    ['of another key', 1, pack(new Entry('other', Buffer.alloc(10_000)))],
    ['of another client', 1, Buffer.alloc(10_000)],
  ])('a value beyond the limit %s is deleted and counted as corrupt %i times', async (_whose, times, value) => {
    const events = createEvents();
    const corrupted = jest.fn();
    events.on('corrupted', corrupted);
    const get = async (/** @type {string} */ _key, /** @type {number} */ last) => value.subarray(0, last + 1); // as GETRANGE
    const redis = { get, delete: jest.fn() };
    const l2 = new L2(/** @type {any} */ (redis), { ttlMs: 1000, maxValueBytes: 100, events });
    expect(await l2.get('k')).toBeNull();
    expect(redis.delete).toHaveBeenCalledWith('k');
    expect(corrupted).toHaveBeenCalledTimes(times);
  });

  test('expire at different times, and long ones are not stored', () => {
    const redis = { set: jest.fn() };
    const options = { ttlMs: 1000, maxValueBytes: 100, events: createEvents() };
    const l2 = new L2(/** @type {any} */ (redis), options);
    for (let index = 0; index < 50; index += 1) l2.set(new Entry(`k${index}`, Buffer.alloc(10)));
    const lifetimesMs = redis.set.mock.calls.map(([, , ttlMs]) => ttlMs);
    expect(new Set(lifetimesMs).size).toBeGreaterThan(40);
    expect(Math.min(...lifetimesMs)).toBeGreaterThanOrEqual(900);
    expect(Math.max(...lifetimesMs)).toBeLessThanOrEqual(1100);
    l2.set(new Entry('long', Buffer.alloc(101)));
    expect(redis.set).toHaveBeenCalledTimes(50);
  });

  test('are not serialised while Redis is down', async () => {
    const redis = new RedisBytes(loadConfig({ DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' }), createEvents());
    const made = jest.fn();
    expect(await redis.set('k', made, 1000)).toBeNull();
    expect(made).not.toHaveBeenCalled();
  });
});

describe('an error that Redis answers', () => {
  afterEach(() => jest.restoreAllMocks());

  test.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'up'],
    ['LOADING Redis is loading the dataset in memory', 'down'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'down'],
  ])('%s: it is %s', async (message, state) => {
    jest.spyOn(Redis.prototype, 'connect').mockImplementation(
      /** @this {Redis} */ async function connect() {
        this.status = 'ready';
      },
    );
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    jest.spyOn(Redis.prototype, 'getrangeBuffer').mockRejectedValue(error);
    const config = loadConfig({ DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x', BREAKER_FAILURES: '3' });
    const redis = new RedisBytes(config, createEvents());
    redis.open();
    for (let reads = 0; reads < 3; reads += 1) expect(await redis.get('k', 100)).toBeNull();
    expect(redis.state).toBe(state);
  });
});

describe('Redis connection', () => {
  const options = (/** @type {string} */ REDIS_URL) =>
    redisOptions(loadConfig({ DATABASE_URL: 'postgres://x', REDIS_URL }));

  test('never queues, resends or waits without a limit', () => {
    expect(options('redis://localhost')).toMatchObject({
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 50,
      connectTimeout: 500,
      socketTimeout: 1000,
    });
  });

  test('reads sockets, credentials, databases and TLS from its URL', () => {
    expect(options('unix:///run/valkey.sock?db=2')).toMatchObject({
      path: '/run/valkey.sock',
      db: 2,
    });
    expect(options('rediss://u:p%40@cache:7000/3')).toMatchObject({
      host: 'cache',
      port: 7000,
      db: 3,
      username: 'u',
      password: 'p@',
      tls: {},
    });
    expect(options('redis://[fd00::7]:7000')).toMatchObject({ host: 'fd00::7', port: 7000 });
  });
});

describe('breaker', () => {
  const make = () => {
    const clock = { ms: 0 };
    const states = /** @type {string[]} */ ([]);
    const onChange = (/** @type {string} */ state) => void states.push(state);
    const breaker = new Breaker({ failures: 3, openMs: 1000, onChange, now: () => clock.ms });
    return { breaker, clock, states };
  };

  test('opens after consecutive failures, not after scattered ones', () => {
    const { breaker } = make();
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'])
      breaker[/** @type {'failed' | 'succeeded'} */ (outcome)]();
    expect(breaker.allows()).toBe(true);
    breaker.failed();
    expect(breaker.allows()).toBe(false);
  });

  test('lets one call try within a second, and closes when it succeeds', () => {
    const { breaker, clock, states } = make();
    for (let count = 0; count < 3; count += 1) breaker.failed();
    clock.ms = 499;
    expect(breaker.allows()).toBe(false);
    breaker.failed(); // a call that was under way puts nothing off
    clock.ms = 1000;
    expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
    breaker.succeeded();
    expect(breaker.allows()).toBe(true);
    expect(states).toEqual(['open', 'half-open', 'closed']);
  });

  test('opens again at once when the try fails', () => {
    const { breaker, clock } = make();
    for (let count = 0; count < 3; count += 1) breaker.failed();
    clock.ms = 1000;
    breaker.allows();
    breaker.failed();
    expect(breaker.allows()).toBe(false);
    clock.ms = 2000;
    expect(breaker.allows()).toBe(true);
  });
});
