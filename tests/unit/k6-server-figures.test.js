'use strict';

const { EventEmitter } = require('node:events');
const http = require('node:http');

const { machineTicks, processTicks } = require('../../scripts/lib/proc');
const { growthOf, livesOf, livesText } = require('../../scripts/k6/growth');
const { parseMetrics } = require('../../scripts/k6/prometheus');
const { startRecorder } = require('../../scripts/k6/recorder');
const { soakOf } = require('../../scripts/k6/runs');
const { between, table, totals } = require('../../scripts/k6/server-figures');
const { createMetrics } = require('../../server/observe/metrics');
const { until } = require('../helpers/app');
const { second } = require('../helpers/k6-run');

describe('figures of the server', () => {
  const scraped = (/** @type {number} */ cpu, /** @type {number} */ database) =>
    parseMetrics(
      [
        '# HELP process_cpu_seconds_total text',
        `process_cpu_seconds_total ${cpu}`,
        'process_resident_memory_bytes 1.048576e+08',
        `catalog_reads_total{tier="database"} ${database}`,
        'catalog_reads_total{tier="a \\"b\\""} 0',
        '',
      ].join('\n'),
    );

  test('counters become rates, workers stay apart, tiers are summed', () => {
    const before = totals([scraped(1, 10), scraped(2, 20)]);
    const now = totals([scraped(1.5, 40), scraped(2.1, 50)]);
    const groups = between(before, now, 2);
    expect(groups.cpu['worker 1']).toBeCloseTo(0.25);
    expect(groups.cpu['worker 2']).toBeCloseTo(0.05);
    expect(groups.memory).toEqual({ 'worker 1': 100, 'worker 2': 100 });
    expect(groups.cache.database).toBe(30);
  });

  test('a worker that was started again shows no negative rate', () => {
    const groups = between(totals([scraped(50, 900)]), totals([scraped(1, 5)]), 1);
    expect(groups.cpu).toEqual({});
  });

  test('every metric that is drawn is one that a worker has', () => {
    const nothing = /** @type {any} */ ({}); // gauges are read at a scrape, and there is none
    const registry = createMetrics(/** @type {any} */ (new EventEmitter()), nothing);
    const known = registry.getMetricsAsArray().map(({ name }) => name);
    registry.clear();
    expect(known).toEqual(expect.arrayContaining(table.map(({ metric }) => metric)));
  });

  test('reads the CPU of a machine and of a process whose name is a trap', () => {
    expect(machineTicks('cpu  10 1 5 1000 30 2 3 4 0 0\ncpu0 1 1 1 1\n')).toEqual({
      busy: 25,
      stolen: 4,
    });
    const stat = `42 (k6) 1 2 (x)) S ${Array.from({ length: 40 }, (_, n) => n).join(' ')}`;
    expect(processTicks(stat)).toBe(10 + 11);
  });
});

describe('a soak', () => {
  /** @param {(minute: number) => number} memory */
  const points = (memory) =>
    Array.from({ length: 90 }, (_, minute) => ({
      t: minute * 60,
      groups: { memory: { 'worker 1': memory(minute) } },
    }));

  test('tells a leak from a cache that fills and from noise', () => {
    const [leak] = growthOf(points((minute) => 100 + minute));
    expect(leak.ok).toBe(false);
    expect(leak.perHour).toBeCloseTo(60);
    const [filling] = growthOf(points((minute) => 100 + Math.min(minute, 20)));
    expect(filling.ok).toBe(true);
    const [noisy] = growthOf(points((minute) => 100 + 10 * (minute % 2)));
    expect(noisy.ok).toBe(true);
  });

  test('tells a worker that was replaced, whose memory shows no growth, from one that lived on', () => {
    const process = (/** @type {number} */ at, /** @type {number} */ n) =>
      parseMetrics(`process_start_time_seconds ${at}\nprocess_resident_memory_bytes ${n}e6\n`);
    const scrapes = [60, 90, 120, 50, 80, 110].map((mb, n) => [process(1000, 100), process(n < 3 ? 1000 : 2000, mb)]);
    const seen = scrapes.map((workers, t) => ({
      t,
      groups: between(totals(workers), totals(workers), 1),
    }));
    const lives = livesOf(seen);
    expect(lives).toEqual([
      { line: 'worker 1', processes: 1 },
      { line: 'worker 2', processes: 2 },
    ]);
    expect(lives.map(livesText)).toEqual([
      'worker 1: the same process from beginning to end',
      'worker 2: replaced during the run, 2 processes one after the other',
    ]);
  });

  test('tells how long a worker that died and stayed away was silent', () => {
    const windows = Array.from({ length: 90 }, (_, minute) => second(minute * 60, 'mix'));
    expect(soakOf({ server: points(() => 100), windows }).silentS).toBe(0);
    expect(soakOf({ server: points(() => 100).slice(0, 60), windows }).silentS).toBe(30 * 60);
  });

  test('of a moment tells nothing', () => {
    expect(growthOf(points(() => 1).slice(0, 3))).toEqual([]);
  });
});

describe('the recorder', () => {
  test('draws a gap while a worker is silent, and no jump when it is back', async () => {
    let asked = 0;
    const server = http.createServer((request, response) => {
      asked += 1;
      if (asked === 3) return void response.writeHead(500).end();
      response.end(`catalog_reads_total{tier="l1"} ${1e9 + asked}\n`);
    });
    await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    /** @type {import('../../scripts/k6/recorder').ServerPoint[]} */
    const points = [];
    const recorder = startRecorder({
      metrics: [`http://127.0.0.1:${port}/metrics`],
      local: false,
      everyMs: 20,
      onPoint: (point) => points.push(point),
    });
    recorder.watch(process.pid);
    await until(() => asked > 6);
    recorder.stop();
    server.close().closeAllConnections();
    const rates = points.map(({ groups }) => groups.cache.l1);
    expect(rates.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...rates)).toBeLessThan(1e6); // one a scrape, not all that were ever counted
  });
});
