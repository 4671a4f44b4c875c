'use strict';
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { startStatic } = require('./baselines');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { trafficTo, wrk } = require('./measure');
const { startStack } = require('./own-stack');
const { bothCores } = require('./pinned');
const { keepRow } = require('./running');

const rate = 1000;
const referenceRate = 100;
/** Times --seconds: a minute by default. */
const measuredTimes = 15;
const limits = { p99Ms: 10, errors: 0 };
const rowsOfPage = 5; // the API's default

/** @type {Record<string, (number: number) => string>} of a page or an id */
const routes = {
  list: (page) => `/products?page=${page}&count=${rowsOfPage}`,
  product: (id) => `/products/${id}`,
  styles: (id) => `/products/${id}/styles`,
  related: (id) => `/products/${id}/related`,
};

/**
 * Every second page or product, each once, in random order: no cache holds replies of one half after requests for the
 * other.
 * @param {string} route @param {number[]} ids of the catalog, in order @param {0 | 1} half
 * @returns {string[]} paths, at most as many as four minutes need
 */
function halfOf(route, ids, half) {
  const pages = Array.from({ length: Math.ceil(ids.length / rowsOfPage) }, (_, index) => index + 1);
  const own = (route === 'list' ? pages : ids).filter((_, index) => index % 2 === half);
  return shuffled(own, createRandom(half))
    .slice(0, rate * 240)
    .map(routes[route]);
}

/**
 * Each route at 1,000 requests per second over one half of the catalog, after the other half has warmed the service up. No
 * cache helps: nothing is requested twice, except pages (of a million products after 100 s).
 * @param {{ products: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function steady({ products, seconds, say }) {
  const measuredSeconds = measuredTimes * seconds;
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const { front } = await startStack(dataset);
  // What the machine itself does to a request at that time.
  const { server, paths: file } = await startStatic(dataset.dir, ['{}']);
  const reference = trafficTo(server, file);
  /** @type {import('./targets').Part} */
  const part = { name: 'steady', rows: [], targets: [] };
  for (const route of Object.keys(routes)) {
    const [paths, others] = /** @type {const} */ ([0, 1]).map((half) =>
      pathsFile(dataset.dir, `steady-${route}-${half}`, halfOf(route, ids, half)),
    );
    // PostgreSQL has just started and is still reading its buffers back.
    await wrk({ port: front.port, paths: others, seconds: 5 * seconds, cpu: bothCores });
    say(`${route}, ${rate}/s for ${measuredSeconds} s`);
    const [own, seen] = await Promise.all([
      trafficTo(front, paths)(rate, measuredSeconds),
      reference(referenceRate, measuredSeconds),
    ]);
    const rows = [
      { route, what: 'two workers through nginx', ...own },
      { route, what: 'reference endpoint at the same time: nginx, one file', ...seen },
    ];
    rows.forEach(keepRow);
    part.rows.push(...rows);
    part.targets.push(
      { what: `p99 ms at ${rate}/s`, route, atMost: limits.p99Ms, is: own.p99Ms },
      { what: `errors at ${rate}/s`, route, atMost: limits.errors, is: own.errors },
    );
  }
  return part;
}

module.exports = { halfOf, steady };
