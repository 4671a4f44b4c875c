'use strict';

const { EventEmitter } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { root } = require('../../../scripts/lib/runtime');
const { machineTicks, processTicks } = require('../../../scripts/lib/proc');
const { judge, soakOf } = require('../../../scripts/k6/verdict');
const figures = require('../../../scripts/k6/server-figures');
const { createMetrics } = require('../../../server/observe/metrics');
const { until } = require('../../helpers/app');
const { second } = require('../../helpers/k6-run');

const { parseMetrics, startRecorder, stepLoad, table, totals, watchProcesses } = figures;

describe('figures of the server', () => {
  const scraped = (/** @type {number} */ cpu, /** @type {number} */ database) =>
    parseMetrics(
      [
        '# HELP process_cpu_seconds_total text',
        `process_cpu_seconds_total ${cpu}`,
        'process_resident_memory_bytes 1.048576e+08',
        `catalog_reads_total{tier="database"} ${database}`,
        'catalog_reads_total{tier="a \\"b\\""} 0',
        'catalog_replies_total{route="products",status="200"} 7',
        'catalog_replies_total{route="docs",status="200"} 100',
        'catalog_replies_total{route="problem",status="503"} 100',
        '',
      ].join('\n'),
    );

  test('workers stay apart, tiers are summed, and only replies of the catalog count', () => {
    const groups = totals([scraped(1.5, 40), scraped(2.1, 50)]);
    expect(groups.cpu).toEqual({ 'worker 1': 1.5, 'worker 2': 2.1 });
    expect(groups.memory).toEqual({ 'worker 1': 100, 'worker 2': 100 });
    expect(groups.reads).toEqual({ PostgreSQL: 90, 'a \\"b\\"': 0 });
    expect(groups.replies).toEqual({ ok: 14 });
  });

  test('every metric that is read is one that a worker has', () => {
    const nothing = /** @type {any} */ ({}); // gauges are read at a scrape, which does not happen
    const registry = createMetrics(/** @type {any} */ (new EventEmitter()), nothing);
    const known = registry.getMetricsAsArray().map(({ name }) => name);
    registry.clear();
    expect(known).toEqual(expect.arrayContaining(table.map(({ metric }) => metric)));
  });

  test('k6 names routes as the service does in its metrics', () => {
    const read = (/** @type {string} */ file) => fs.readFileSync(path.join(root, file), 'utf8');
    const namesIn = (/** @type {string} */ file, /** @type {RegExp} */ pattern) =>
      [...read(file).matchAll(pattern)].map(([, name]) => name);
    const labels = [
      ...namesIn('server/routes.js', /\bdocument\('(\w+)'\)/g),
      ...['product', 'products', 'search-and-menu', 'export'].flatMap((file) =>
        namesIn(`server/http/routes/${file}.js`, /\b(?:reply|stream\.send)\('(\w+)'/g),
      ),
    ];
    const [names] = namesIn('k6/lib/routes.js', /routeNames = \[(.*)\]/g);
    const own = names.match(/\w+/g) ?? [];
    expect(own.length).toBeGreaterThan(3);
    const more = namesIn('k6/lib/routes.js', /moreNames = \[(.*)\]/g)[0].match(/\w+/g) ?? [];
    expect(labels.sort()).toEqual([...own, ...more].sort());
    expect(namesIn('k6/lib/routes.js', /\bask\(.*'(\w+)', \{/g)).toEqual(['products', ...more]);
    const replies = labels.map((name) => `catalog_replies_total{route="${name}",status="200"} 1`);
    expect(totals([parseMetrics(replies.join('\n'))]).replies).toEqual({ ok: 10 });
  });

  test('reads the CPU of a machine and of a process with brackets in its name', () => {
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

  const growthOf = (/** @type {any[]} */ server) => soakOf([], server).growth;

  test('distinguishes a leak from a cache that fills and from noise', () => {
    const [leak] = growthOf(points((minute) => 100 + minute));
    expect(leak.ok).toBe(false);
    expect(leak.perHour).toBeCloseTo(60);
    const [filling] = growthOf(points((minute) => 100 + Math.min(minute, 20)));
    expect(filling.ok).toBe(true);
    const [noisy] = growthOf(points((minute) => 100 + 10 * (minute % 2)));
    expect(noisy.ok).toBe(true);
  });

  test('finds a worker that was restarted, whose memory shows no growth', () => {
    const process = (/** @type {number} */ at, /** @type {number} */ n) =>
      parseMetrics(`process_start_time_seconds ${at}\nprocess_resident_memory_bytes ${n}e6\n`);
    const scrapes = [60, 90, 120, 50, 80, 110].map((mb, n) => [process(1000, 100), process(n < 3 ? 1000 : 2000, mb)]);
    const seen = scrapes.map((workers, t) => ({ t, groups: totals(workers) }));
    expect(soakOf([], seen).lives).toEqual([
      { line: 'worker 1', processes: 1 },
      { line: 'worker 2', processes: 2 },
    ]);
  });

  test('reports how long a worker was silent that died and did not come back', () => {
    const windows = Array.from({ length: 90 }, (_, minute) => second(minute * 60, 'mix'));
    expect(
      soakOf(
        windows,
        points(() => 100),
      ).silentS,
    ).toBe(0);
    expect(soakOf(windows, points(() => 100).slice(0, 60)).silentS).toBe(30 * 60);
  });

  test('has no verdict for a run of a few seconds', () => {
    expect(growthOf(points(() => 1).slice(0, 3))).toEqual([]);
  });
});

describe('a step', () => {
  const windows = [10, 11].map((t) => ({ ...second(t), rps: 100 }));

  /** One point at the start of each second. @param {number} t @param {number} count of counters @param {number} [started] */
  const point = (t, count, started = 1) => ({
    t: t + 0.01,
    groups: {
      replies: { ok: 40 * count },
      reads: { L1: 30 * count, L2: 15 * count, PostgreSQL: 15 * count, other: 9 },
      cpu: { k6: 0.5 * count, 'worker 1': 7 - count },
      machine: { busy: count },
      started: { 'worker 1': started },
    },
  });
  const around = [point(9, 0), point(13, 99)]; // before and after it

  test('has the share of each tier: nginx has what no worker answered, the others what they read', () => {
    const [before, after] = around;
    const { tiers, cpu, busy } = stepLoad(windows, [before, point(10, 1), point(11, 2), point(12, 3), after]);
    expect(tiers).toEqual({ L0: 0.6, L1: 0.2, L2: 0.1, PostgreSQL: 0.1 });
    expect(cpu.k6).toBeCloseTo(0.5);
    expect(busy).toBeCloseTo(1);
    expect(Object.keys(cpu)).toEqual(['k6']); // a counter that fell belongs to another process
  });

  test('has shares of the seconds that were scraped, and none beside a restarted worker', () => {
    const { tiers } = stepLoad(windows, [...around, point(11, 2), point(12, 3)]);
    expect(tiers).toMatchObject({ L0: 0.6 });
    expect(stepLoad(windows, [point(10, 1), point(12, 3, 2)])).toMatchObject({ tiers: undefined, busy: 1 });
  });

  test('has no shares without metrics, nor of a single point', () => {
    const bare = [10, 12].map((t) => ({ t, groups: { cpu: { k6: t }, machine: { busy: 2 * t } } }));
    expect(stepLoad(windows, bare)).toEqual({ cpu: { k6: 1 }, busy: 2 });
    expect(stepLoad(windows, [point(11, 1)])).toEqual({ cpu: {} });
    expect(stepLoad(windows, [])).toEqual({ cpu: {} });
  });
});

describe('the recorder', () => {
  test('leaves out seconds in which a worker is silent', async () => {
    let asked = 0;
    const server = http.createServer((request, response) => {
      asked += 1;
      if (asked === 3) return void response.writeHead(500).end();
      response.end(`catalog_reads_total{tier="l1"} ${1e9 + asked}\n`);
    });
    await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    /** @type {import('../../../scripts/k6/server-figures').ServerPoint[]} */
    const points = [];
    const recorder = startRecorder({
      metrics: [`http://127.0.0.1:${port}/metrics`],
      everyMs: 20,
      onPoint: (point) => points.push(point),
    });
    recorder.watch(process.pid);
    await until(() => asked > 6);
    recorder.stop();
    server.close().closeAllConnections();
    const counts = points.map(({ groups }) => groups.reads.L1 - 1e9);
    expect(counts.slice(0, 4)).toEqual([1, 2, 4, 5]);
    expect(points[0].groups.cpu.k6).toBeGreaterThan(0);
  });
});

describe('the processes of a run', () => {
  /** When each worker has started; null: it does not answer. @type {(number | null)[]} */
  let starts;
  /** @type {http.Server} */
  let server;
  /** @type {string[]} */
  let metrics;
  beforeEach(async () => {
    starts = [100, 100, null];
    server = http.createServer((request, response) => {
      const start = starts[Number(request.url?.slice(1))];
      if (start === null) request.socket.destroy();
      else response.end(`process_start_time_seconds ${start}\n`);
    });
    await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    metrics = starts.map((_, worker) => `http://127.0.0.1:${port}/${worker}`);
  });
  afterEach(() => void server.close());

  test('are the same, as far as workers answered', async () => {
    const ended = await watchProcesses(metrics.slice(0, 2), 100);
    expect(await ended()).toEqual([]);
    const unknown = await watchProcesses(metrics, 100);
    expect(await unknown()).toEqual([]);
  });

  test('are others when a worker was started again, or answers no more', async () => {
    const ended = await watchProcesses(metrics, 100);
    starts = [101, null, null];
    expect(await ended()).toEqual([
      'worker 1 ended during the run and is another process since: see its log',
      'worker 2 ended during the run and does not answer: see its log',
    ]);
  });

  test('are waited for while a worker starts again', async () => {
    const ended = await watchProcesses(metrics.slice(0, 2), 20_000);
    starts = [null, 100];
    setTimeout(() => (starts = [107, 100]), 200);
    expect(await ended()).toEqual(['worker 1 ended during the run and is another process since: see its log']);
  });

  test('fail the test whose workers they were', () => {
    expect(judge({ rows: [], found: [{ route: 'mix', held: 1, broke: 2, reason: '' }], ended: ['worker 1'] })).toEqual([
      'worker 1',
    ]);
  });
});
