'use strict';

const { VersionMemory } = require('../../../server/cache/version-memory');

const tenSecondsMs = 10_000;

describe('the data version in Redis', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A Redis with one key, which may stay silent. */
  function play() {
    const redis = {
      value: '',
      silent: false,
      get: async () => (redis.silent ? null : Buffer.from(redis.value)),
      set: async (/** @type {string} */ _key, /** @type {() => any} */ value) => void (redis.value = value()),
      ready: () => {},
      onReady: (/** @type {() => void} */ callback) => void (redis.ready = callback),
    };
    const version = {
      live: false,
      isWritten: false,
      current: /** @type {string | null} */ (null),
      suggest: (/** @type {string} */ found) => void (version.current = found),
    };
    return { redis, version, memory: new VersionMemory(redis, version) };
  }

  test('is written again after Redis lost it, while PostgreSQL answers', async () => {
    const { redis, version, memory } = play();
    Object.assign(version, { live: true, current: '1-100' });
    await memory.open();
    expect(redis.value).toBe('1-100');
    redis.value = '';
    await jest.advanceTimersByTimeAsync(tenSecondsMs);
    expect(redis.value).toBe('1-100');
    memory.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is read until an answer comes', async () => {
    const { redis, version, memory } = play();
    Object.assign(redis, { value: '1-100', silent: true });
    await memory.open();
    expect(version.current).toBeNull();
    redis.silent = false;
    await jest.advanceTimersByTimeAsync(tenSecondsMs);
    expect(version.current).toBe('1-100');
    memory.close();
  });

  test('is read at once when Redis comes back', async () => {
    const { redis, version, memory } = play();
    Object.assign(redis, { value: '1-100', silent: true });
    await memory.open();
    redis.silent = false;
    redis.ready();
    await jest.advanceTimersByTimeAsync(0);
    expect(version.current).toBe('1-100');
    memory.close();
  });

  test('of a load that was written to starts no worker', async () => {
    const { redis, version, memory } = play();
    Object.assign(version, { live: true, current: '1-100' });
    await memory.open();
    version.isWritten = true;
    memory.remember();
    expect(redis.value).toBe('1-100 written');
    memory.close();
    Object.assign(version, { live: false, current: null });
    const later = new VersionMemory(redis, version);
    await later.open();
    expect(version.current).toBeNull();
    later.close();
  });

  test('is written once for many commits', () => {
    const { redis, version, memory } = play();
    Object.assign(version, { live: true, current: '1-100' });
    memory.remember();
    redis.value = '';
    memory.remember();
    expect(redis.value).toBe('');
  });

  test.each(['WRONGTYPE', '1-', 'x'])('is ignored when Redis has %s, and is read again', async (foreign) => {
    const { redis, version, memory } = play();
    redis.value = foreign;
    await memory.open();
    expect(version.current).toBeNull();
    redis.value = '1-100';
    await jest.advanceTimersByTimeAsync(tenSecondsMs);
    expect(version.current).toBe('1-100');
    memory.close();
  });

  test('is not written by a worker that has it only from Redis, since another may know a later one', async () => {
    const { redis, version, memory } = play();
    redis.value = '1-100';
    await memory.open();
    redis.value = '2-200';
    await jest.advanceTimersByTimeAsync(tenSecondsMs);
    expect([redis.value, version.current]).toEqual(['2-200', '1-100']);
    memory.close();
  });
});
