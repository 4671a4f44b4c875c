'use strict';

const { createMetrics } = require('../../../server/observe/metrics');
const { createEvents } = require('../../../server/core/events');

const gauges = {
  l1Bytes: () => 10,
  l1Entries: () => 1,
  l1MaxBytes: 100,
  l1Read: () => ({ reads: 0, bytes: 0 }),
  atOnce: () => new Map(),
  redisConfigured: false,
  redisUp: () => false,
  lagMs: () => 250,
  ready: () => true,
  lanes: () => [{ server: 'db-1:5432', name: 'short', ready: 2, inFlight: 7 }],
  version: () => /** @type {string | null} */ ('12-1700000000500000'),
  seq: () => 4712,
  positionAgeMs: () => 250,
  searched: () => ({ seq: 4711, isFull: false, bytes: 3000 }),
  searchCounts: { outcomes: { found: 8, reduced: 2, empty: 1 }, droppedWords: 4 },
  diskPaths: ['/'],
  build: { version: '1.2.3', code: '0123456789ab', node_version: '24.0.0' },
};

/** @param {(events: import('../../../server/core/events').Events) => void} happen @param {object} [more] */
async function scrape(happen, more = {}) {
  const events = createEvents();
  const registry = createMetrics(events, { ...gauges, ...more });
  happen(events);
  const text = await registry.metrics();
  return (/** @type {string} */ series) => {
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
}

const duration = 'catalog_request_duration_seconds';

describe('metrics', () => {
  test('have the figures of the process, except two that cost CPU in an idle worker', async () => {
    const text = await createMetrics(createEvents(), gauges).metrics();
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).not.toMatch(/nodejs_(eventloop_utilization|gc_duration)/);
  });

  test('count an L1 hit in the lowest bucket and a wait in its own, cumulatively', async () => {
    const atOnce = () => new Map([['product', { ok: 90, notModified: 8 }]]);
    const value = await scrape(
      (events) => {
        events.emit('replied', 'product', 200, 4);
        events.emit('replied', 'product', 200, 60_000);
      },
      { atOnce },
    );
    expect(value('catalog_replies_total{route="product",status="200"}')).toBe(92);
    expect(value('catalog_replies_total{route="product",status="304"}')).toBe(8);
    expect(value(`${duration}_bucket{le="0.0005",route="product"}`)).toBe(98);
    expect(value(`${duration}_bucket{le="0.003",route="product"}`)).toBe(98);
    expect(value(`${duration}_bucket{le="0.004",route="product"}`)).toBe(99);
    expect(value(`${duration}_bucket{le="10",route="product"}`)).toBe(99);
    expect(value(`${duration}_bucket{le="+Inf",route="product"}`)).toBe(100);
    expect(value(`${duration}_count{route="product"}`)).toBe(100);
    expect(value(`${duration}_sum{route="product"}`)).toBeCloseTo(60.004);
  });

  test('count an L1 hit once, however often they are read', async () => {
    const hits = { ok: 3, notModified: 0 };
    const registry = createMetrics(createEvents(), { ...gauges, atOnce: () => new Map([['product', hits]]) });
    await registry.metrics();
    hits.ok = 5;
    const text = await registry.metrics();
    for (const series of [`${duration}_count{route="product"}`, 'catalog_replies_total{route="product",status="200"}'])
      expect(text.split('\n')).toContain(`${series} 5`);
  });

  test('count a failed read with its two seconds under its route', async () => {
    const value = await scrape((events) => {
      events.emit('readFailed', 'styles', 1999);
      events.emit('replied', 'problem', 503, 0);
    });
    expect(value(`${duration}_bucket{le="1",route="styles"}`)).toBe(0);
    expect(value(`${duration}_bucket{le="2",route="styles"}`)).toBe(1);
    expect(value('catalog_failed_requests_total{route="styles"}')).toBe(1);
    expect(value('catalog_replies_total{route="problem",status="503"}')).toBe(1);
    expect(value(`${duration}_count{route="problem"}`)).toBeUndefined();
  });

  test('have reads and bytes of tiers, and times of backends', async () => {
    const value = await scrape(
      (events) => {
        events.emit('served', 'l2', 100);
        events.emit('served', 'l2', 50);
        events.emit('queried', 'product', 'short', 3, 9, 'db-1:5432');
        for (const lane of ['short', 'bulk', 'short', 'bulk']) events.emit('queried', 'page', lane, 1, 0, 'db-1:5432');
        events.emit('redisAnswered', 'get', 1);
      },
      { l1Read: () => ({ reads: 7, bytes: 700 }) },
    );
    expect(value('catalog_reads_total{tier="l1"}')).toBe(7);
    expect(value('catalog_read_bytes_total{tier="l1"}')).toBe(700);
    expect(value('catalog_reads_total{tier="l2"}')).toBe(2);
    expect(value('catalog_read_bytes_total{tier="l2"}')).toBe(150);
    expect(value('catalog_query_seconds_sum{query="product"}')).toBeCloseTo(0.003);
    expect(value('catalog_query_seconds_count{query="page"}')).toBe(2);
    expect(value('catalog_query_seconds_count{query="long_page"}')).toBe(2);
    expect(value('catalog_database_queries_ahead_sum{lane="short"}')).toBe(9);
    expect(value('catalog_redis_seconds_count{command="get"}')).toBe(1);
  });

  test('have searches by outcome, and the words that they dropped', async () => {
    const value = await scrape(() => {});
    const searches = ['found', 'reduced', 'empty'].map((each) => value(`catalog_searches_total{outcome="${each}"}`));
    expect([...searches, value('catalog_search_dropped_words_total')]).toEqual([8, 2, 1, 4]);
  });

  test('have the data version as a number and as the time of its change', async () => {
    const value = await scrape(() => {});
    expect(value('catalog_data_version')).toBe(12);
    expect(value('catalog_data_version_timestamp_seconds')).toBe(1700000000.5);
    const unknown = await scrape(() => {}, { version: () => null });
    expect(unknown('catalog_data_version')).toBe(0);
  });

  test('have the position in the log, and count commits from 0', async () => {
    const value = await scrape((events) => void events.emit('commitsApplied', 12));
    expect([value('catalog_position_seq'), value('catalog_position_age_seconds')]).toEqual([4712, 0.25]);
    expect(value('catalog_commits_applied_total')).toBe(12);
    const none = await scrape(() => {});
    expect(none('catalog_commits_applied_total')).toBe(0);
  });

  test('have each file system once, under its first path, and skip missing paths', async () => {
    const folder = `${__dirname}/..`;
    const value = await scrape(() => {}, { diskPaths: ['/no/such/folder', folder, __dirname, '/proc'] });
    for (const name of ['catalog_disk_available_bytes', 'catalog_disk_size_bytes']) {
      expect(value(`${name}{path="${folder}"}`)).toBeGreaterThan(0);
      expect(value(`${name}{path="/proc"}`)).toBe(0);
      for (const path of ['/no/such/folder', __dirname]) expect(value(`${name}{path="${path}"}`)).toBeUndefined();
    }
  });

  test('have counters of failures from the start, as 0', async () => {
    const value = await scrape(() => {});
    expect(value('catalog_shed_total{reason="overloaded"}')).toBe(0);
    for (const status of [500, 503]) expect(value(`catalog_replies_total{route="problem",status="${status}"}`)).toBe(0);
    expect(value('catalog_replies_total{route="problem",status="404"}')).toBeUndefined();
    expect(value(`${duration}_count{route="problem"}`)).toBeUndefined();
    expect(value('catalog_database_lost_total{lane="short"}')).toBe(0);
    expect(value('catalog_version_unread_total')).toBe(0);
    expect(value('catalog_handler_failures_total')).toBe(0);
    expect(value('catalog_build_info{version="1.2.3",code="0123456789ab",node_version="24.0.0"}')).toBe(1);
  });
});
