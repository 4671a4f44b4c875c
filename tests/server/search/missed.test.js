'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Redis } = require('ioredis');

const { until } = require('../../helpers/app');
const { request, requestJson } = require('../../helpers/http');
const { loadSample } = require('../../helpers/sample');
const { redisUrl } = require('../../helpers/servers');
const { startReadyWorker } = require('../../helpers/worker');

describe('texts that shoppers search', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'missed-'));
  const prefix = `missed-${process.pid}:`;
  const redis = new Redis(redisUrl());
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startReadyWorker>>[]} two workers of one catalog */
  let workers;
  beforeAll(async () => {
    database = await loadSample(dir, 60);
    const start = (/** @type {object} */ more) =>
      startReadyWorker({
        DATABASE_URL: database.dsn('api'),
        REDIS_URL: redisUrl(),
        REDIS_KEY_PREFIX: prefix,
        REDIS_COMMAND_TIMEOUT_MS: 2000,
        L1_MAX_BYTES: 65_536, // no room for entries that were asked once: the second request of a key fills L1 and Redis
        ACCESS_LOG_RATIO: 1,
        LOG_LEVEL: 'trace',
        ...more,
      });
    workers = [await start({ SEARCH_MISSED_MINUTES: 1 }), await start({ SEARCH_MISSED_MINUTES: 2 })];
    // The first search begins to follow writes, so the next ones have other keys.
    for (const { url } of workers) await request(url, { path: '/search' });
  }, 60_000);
  afterAll(async () => {
    for (const { child, exited } of workers ?? []) {
      child.kill('SIGTERM');
      await exited;
    }
    await database?.drop();
    redis.disconnect();
    fs.rmSync(dir, { recursive: true });
  });

  const keys = () => redis.keys(`${prefix}*`);
  const missedOf = async (/** @type {{ adminUrl: string }} */ { adminUrl }) =>
    (await requestJson(adminUrl, '/missed')).body;
  const metricsOf = async (/** @type {{ adminUrl: string }} */ { adminUrl }) =>
    (await request(adminUrl, { path: '/metrics' })).body;

  test('are counted whichever tier answers, and listed after as many minutes as are set', async () => {
    const [one, other] = workers;
    const target = '/search?q=Zqxworv';
    for (let time = 0; time < 3; time += 1) expect((await requestJson(one.url, target)).body.total).toBe(0);
    expect(await metricsOf(one)).toContain('catalog_reads_total{tier="l1"} 1\n');
    await until(async () => (await keys()).some((key) => key.includes('/searches/')));
    await request(other.url, { path: target });
    expect(await metricsOf(other)).toContain('catalog_reads_total{tier="l2"} 1\n');
    expect(await missedOf(one)).toEqual({
      least_minutes: 1,
      words: [{ word: 'zqxworv', minutes: expect.any(Number), searches: 3, empty: 3 }],
    });
    expect(await missedOf(other)).toEqual({ least_minutes: 2, words: [] });
    for (const [worker, count] of /** @type {const} */ ([
      [one, 3],
      [other, 1],
    ])) {
      const metrics = await metricsOf(worker);
      expect(metrics).toContain(`catalog_searches_total{outcome="empty"} ${count}\n`);
      expect(metrics).toContain(`catalog_search_dropped_words_total ${count}\n`);
      expect(metrics).not.toContain('zqxworv');
    }
  });

  test('are not counted without words, on further pages, and while they are typed', async () => {
    const [one] = workers;
    const counted = async () => (await metricsOf(one)).match(/^catalog_search\w+_total.*$/gm);
    const before = await counted();
    expect(before).toHaveLength(4);
    for (const path of ['/search?in_stock=true', '/search?q=parka+zqxworv&page=2', '/suggest?q=zqxworv'])
      expect((await request(one.url, { path })).status).toBe(200);
    expect(await counted()).toEqual(before);
    await request(one.url, { path: '/search?q=parka+zqxworv' });
    expect(await counted()).toContain('catalog_searches_total{outcome="reduced"} 1');
  });

  test('reach no key in Redis and no line of a log', async () => {
    const [{ url, output }] = workers;
    for (const path of ['/search?q=Blxivorg+parka', '/suggest?q=blxivorg'])
      for (let time = 0; time < 2; time += 1) await request(url, { path });
    await request(url, { path: `/search?q=blxivorg${'x'.repeat(200)}` });
    await request(url, { path: '/search?size=M&%71=-blxivorg&coutn=1' });
    await until(async () => {
      const all = (await keys()).join();
      return all.includes('/searches/') && all.includes('/suggestions/');
    });
    expect((await keys()).filter((key) => /blxivorg/i.test(key))).toEqual([]);
    await until(() => output().includes('&coutn=1'));
    expect(output().match(/"route":"\/(search|suggest)"/g)?.length).toBeGreaterThan(7);
    expect(output()).not.toMatch(/blxivorg/i);
  });
});
