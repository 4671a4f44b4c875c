'use strict';
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { withClient } = require('../../../scripts/local/roles');
const { createProxyThread } = require('../testbed/proxy');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { bodyOf, median, memoryTarget, rowsOf, rpsOf, runPgbench, trafficTo, wrk } = require('./measure');
const { register } = require('./running');
const { bothCores, noCacheBytes, startCache, startFront, startWorker } = require('./own-servers');
/** @import { Dataset } from './dataset' */
/** @import { Options, Part } from './report' */
/** @import { Server } from './own-servers' */

const memoryMb = 185;
const [hotCount, productCount, batchCount, batchIds] = [1000, 200_000, 20, 500];
/** In each round. */
const pages = 5;
const [latencyMs, browserConnections, relatedProducts] = [40, 6, 8];
/** Products and uncached searches a second beside each other, for five times --seconds. */
const [productRate, searchRate, besideTimes] = [1000, 50, 5];
const facets = 'facets=category,price,size,on_sale,in_stock,feature';
const [rowsSql, aloneSql] = ['rows', 'alone'].map((name) => path.join(__dirname, `search-${name}.sql`));

/** @param {number} count @param {(index: number) => string} path @returns {string[]} */
const pathsOf = (count, path) => Array.from({ length: count }, (_, index) => path(index));

/** Makes the rows that PostgreSQL searches alone. @param {string} dsn @returns {Promise<string[]>} paths of the same searches */
const makeRows = (dsn) =>
  withClient(dsn, async (client) => {
    await client.query(fs.readFileSync(rowsSql, 'utf8'));
    const { rows } = await client.query('SELECT words, category FROM bench_search.queries ORDER BY id');
    return rows.map(({ words, category }) => {
      const query = new URLSearchParams({ q: words.replaceAll(' & ', ' '), category });
      return `/search?${query}&${facets}`;
    });
  });

/**
 * The paths of each rate that is measured.
 * @param {number[]} ids of the catalog @param {string[]} searches
 */
function pathsByRate(ids, searches) {
  const mixed = shuffled(ids, createRandom(1));
  const byPrice = (/** @type {number} */ page) => (/** @type {number} */ index) =>
    `/search?sort=price&in_stock=true&min_price=${index / 100}&page=${page}`;
  const batch = (/** @type {number} */ index) =>
    `/products?include=features&ids=${pathsOf(batchIds, (at) => `${mixed[(index * batchIds + at) % mixed.length]}`)}`;
  return {
    searches,
    'first pages': pathsOf(hotCount, byPrice(1)),
    'deep pages': pathsOf(hotCount, byPrice(Math.ceil(ids.length / 100))),
    batches: pathsOf(batchCount, batch),
    'products of batches': mixed.slice(0, batchCount * batchIds).map((id) => `/products/${id}`),
    products: mixed.slice(0, productCount).map((id) => `/products/${id}`),
    'hot searches': searches.slice(0, hotCount).map((path) => path.replace(facets, 'facets=category&count=5')),
    'hot lists': pathsOf(hotCount, (index) => `/products?page=${index + 1}&count=5`),
    'searches once': pathsOf(50, (index) => `${index + 21}`).flatMap((n) =>
      searches.map((path) => `${path}&facet_values=${n}`),
    ),
  };
}

/**
 * Measurements of wrk and pgbench, in turn.
 * @param {{ warm: Server, cold: Server }} workers @param {Record<string, string>} files of paths
 * @param {(seconds: number) => ReturnType<typeof runPgbench>} postgresAlone @param {Omit<Options, 'products'>} options
 */
async function measureRates({ warm, cold }, files, postgresAlone, options) {
  const { seconds } = options;
  const rate = (/** @type {Server} */ { port }, /** @type {string} */ name, connections = 32) => ({
    [name]: () => wrk({ port, paths: files[name], seconds, connections }),
  });
  const measurements = {
    ...rate(cold, 'searches'),
    'PostgreSQL alone': () => postgresAlone(seconds),
    ...rate(cold, 'first pages'),
    ...rate(cold, 'deep pages'),
    ...rate(cold, 'batches', 1),
    ...rate(cold, 'products of batches', 1),
    ...rate(warm, 'hot searches'),
    ...rate(warm, 'hot lists'),
  };
  return rowsOf('search', measurements, options);
}

/**
 * The p99 of products alone and beside uncached searches, in turn.
 * Traffic generator, nginx, two workers with their caches, PostgreSQL and Valkey share all cores.
 * @param {Dataset} dataset @param {Record<string, string>} files of paths @param {Omit<Options, 'products'>} options
 */
async function measureBeside(dataset, files, options) {
  const own = { redisUrl: await startCache(dataset), cpu: bothCores };
  const workers = [await startWorker(dataset, own), await startWorker(dataset, own)];
  const front = await startFront(dataset, workers, bothCores);
  const [products, searches] = ['products', 'searches once'].map((name) => trafficTo(front, files[name]));
  const time = besideTimes * options.seconds;
  await products(productRate, time); // fills PostgreSQL's buffers
  const measurements = {
    'products alone': () => products(productRate, time),
    [`products beside ${searchRate} searches/s`]: async () => {
      const [own, others] = await Promise.all([products(productRate, time), searches(searchRate, time)]);
      return { ...own, errors: own.errors + others.errors };
    },
  };
  return rowsOf('product', measurements, options);
}

/**
 * The time of a product page with eight related products in one call ÷ that of its calls, by a browser far away.
 * @param {Server} worker @param {string} dsn @param {number} pages
 */
async function pageRatio(worker, dsn, pages) {
  const sql =
    'SELECT product_id FROM catalog.related GROUP BY 1 HAVING count(DISTINCT related_product_id) = $1 LIMIT $2';
  const { rows } = await withClient(dsn, (client) => client.query(sql, [relatedProducts, pages]));
  const proxy = await createProxyThread({ host: '127.0.0.1', port: worker.port });
  register(proxy.close);
  proxy.set({ delayMs: latencyMs / 2 }); // each way
  const agent = new http.Agent({ keepAlive: true, maxSockets: browserConnections });
  const read = (/** @type {string} */ tail) => bodyOf(proxy, `/products/${tail}`, agent);
  const inOne = (/** @type {number} */ id) => read(`${id}?include=offer,styles,related`);
  const inCalls = async (/** @type {number} */ id) => {
    await read(`${id}`);
    const [related] = await Promise.all([read(`${id}/related`), read(`${id}/styles`)]);
    await Promise.all([...new Set(JSON.parse(related))].map((other) => read(`${other}`)));
  };
  const medianMs = async (/** @type {(id: number) => Promise<unknown>} */ page) => {
    const times = [];
    for (const { product_id } of rows) {
      const startedMs = performance.now();
      await page(product_id);
      times.push(performance.now() - startedMs);
    }
    return median(times);
  };
  return (await medianMs(inOne)) / (await medianMs(inCalls));
}

/**
 * Searches, batches and pages in one call against baselines, and what searches cost other requests. `load` has the load (S11); tests
 * judge that other replies did not change (S10), and what searches answer (S4, S9).
 * @param {Options} options @returns {Promise<Part>}
 */
async function search({ products, ...options }) {
  const { rounds, say } = options;
  const dataset = await openDataset(products);
  const dsn = dataset.postgres.superuserDsn('catalog');
  say('rows for PostgreSQL');
  const [ids, searches] = [await idsOf(dataset), await makeRows(dsn)];
  const paths = pathsByRate(ids, searches);
  const written = Object.entries(paths).map(([name, all]) => [name, pathsFile(dataset.dir, `search-${name}`, all)]);
  const files = Object.fromEntries(written);
  const [warm, cold] = [await startWorker(dataset), await startWorker(dataset, { l1Bytes: noCacheBytes })];
  // The second request of a path fills the cache.
  for (const target of [...paths['hot searches'], ...paths['hot searches']]) await bodyOf(warm, target);
  for (const target of paths.batches) await bodyOf(cold, target); // else the disk is measured
  const alone = (/** @type {number} */ time) =>
    runPgbench(dsn, ['--file', aloneSql, '--define', `queries=${searches.length}`], time);
  const rows = await measureRates({ warm, cold }, files, alone, options);
  const rps = rpsOf(rows);
  say('pages');
  const targets = [
    { what: 'S1 searches / PostgreSQL alone', atLeast: 20, is: rps('searches') / rps('PostgreSQL alone') },
    { what: 'S3 cost of deep pages / first pages', atMost: 2, is: rps('first pages') / rps('deep pages') },
    {
      what: 'S5 products in batches / one by one',
      atLeast: 15,
      is: (batchIds * rps('batches')) / rps('products of batches'),
    },
    { what: 'S6 page in one call / in its calls', atMost: 0.3, is: await pageRatio(cold, dsn, rounds * pages) },
    { what: 'S7 hot searches / hot lists', atLeast: 0.9, is: rps('hot searches') / rps('hot lists') },
    memoryTarget([warm, cold], { atMost: memoryMb, what: 'S11 peak memory of a worker, MB' }),
  ];
  await Promise.all([warm.stop(), cold.stop()]);
  await withClient(dsn, (client) => client.query('DROP SCHEMA bench_search CASCADE'));
  const [undisturbed, beside] = await measureBeside(dataset, files, options);
  const is = (beside.p99Ms ?? NaN) / (undisturbed.p99Ms ?? NaN);
  targets.push({ what: 'S8 p99 of products beside searches / alone', atMost: 1.5, is });
  return { rows: [...rows, undisturbed, beside], targets };
}

module.exports = { search };
