'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRandom } = require('../../../scripts/generate/random');
const { idsOf, openDataset, pathsFile, randomPaths } = require('./dataset');
const { memoryTarget, rowsOf, rpsOf, runPgbench, wrk } = require('./measure');
const { noCacheBytes, startWorker } = require('./own-servers');
/** @import { Dataset } from './dataset' */
/** @import { Options, Part } from './report' */

const limits = { overStyles: 1, lastOverFirst: 1.2, listsMemoryMb: 200 };
const idCount = 200_000;
const routes = { styles: '/styles', product: '', related: '/related' };
const [mostRows, pageCount, longestRows] = [100, 50_000, 20_000];

/** The same lookup as a client of pgbench. @param {Dataset} dataset @param {number} largest id @param {number} seconds */
function pgbench({ dir, postgres }, largest, seconds) {
  const script = path.join(dir, 'lookup.sql');
  const lookup = 'SELECT body FROM catalog.styles_documents WHERE id = :id;';
  fs.writeFileSync(script, `\\set id random(1, ${largest})\n${lookup}\n`);
  return runPgbench(postgres.dsn('api'), ['--file', script], seconds);
}

/**
 * Random pages of 1 to 100 products that begin between two rows, so many that none is in a cache.
 * @param {Dataset} dataset @param {number} from first row @param {number} to @returns {string} a file of paths
 */
function writePages({ dir }, from, to) {
  const below = createRandom(from + 1);
  const paths = Array.from({ length: pageCount }, () => {
    const [count, row] = [1 + below(mostRows), from + below(to - from)];
    return `/products?page=${Math.floor(row / count) + 1}&count=${count}`;
  });
  return pathsFile(dir, `pages-${from}-${to}`, paths);
}

/**
 * The traffic that takes most memory: the longest lists, plain and compressed, more than a worker accepts at once. It
 * refuses the rest, so the results are not figures.
 * @param {Dataset} dataset @param {number} port @param {number[]} ids @param {number} seconds
 */
async function requestLongest({ dir }, port, ids, seconds) {
  const starts = ids.filter((_, index) => index % 1009 === 0);
  const lists = starts.map((id) => `/products?after=${id}&count=${longestRows}`);
  const paths = pathsFile(dir, 'longest', lists);
  for (const encoding of ['identity', 'gzip'])
    await wrk({ port, paths, seconds, connections: 8, headers: [`Accept-Encoding: ${encoding}`] });
}

/**
 * Random products and pages of the whole catalog without caches, from one worker on one core; and the memory that long lists take.
 * @param {Options} options @returns {Promise<Part>}
 */
async function cold({ products, ...options }) {
  const { seconds, say } = options;
  const dataset = await openDataset(products);
  const worker = await startWorker(dataset, { l1Bytes: noCacheBytes });
  const { port } = worker;
  const ids = await idsOf(dataset);
  const hundredth = Math.ceil(ids.length / 100);
  /** @type {Record<string, string>} files of paths */
  const files = {
    'first pages': writePages(dataset, 0, hundredth),
    'last pages': writePages(dataset, ids.length - hundredth, ids.length),
  };
  for (const [route, tail] of Object.entries(routes))
    files[route] = randomPaths(dataset, ids, { count: idCount, tail, name: `cold-${route}` });
  const ofWorker = Object.entries(files).map(([name, paths]) => [name, () => wrk({ port, paths, seconds })]);
  const measurements = {
    ...Object.fromEntries(ofWorker),
    pgbench: () => pgbench(dataset, ids[ids.length - 1], seconds),
  };
  const rows = (await rowsOf('styles', measurements, options)).map((row) =>
    row.what === 'pgbench' ? row : { ...row, route: row.what, what: 'one worker' },
  );
  const rps = rpsOf(rows);
  const overStyles = (/** @type {string} */ route) => ({
    what: `${route} / styles`,
    atLeast: limits.overStyles,
    is: rps(route) / rps('styles'),
  });
  const memory = memoryTarget([worker]);
  say(`lists of ${longestRows} products, for the memory of the worker`);
  await requestLongest(dataset, port, ids, seconds);
  return {
    rows,
    targets: [
      overStyles('product'),
      overStyles('related'),
      {
        what: 'cost of a last page / a first page',
        atMost: limits.lastOverFirst,
        is: rps('first pages') / rps('last pages'),
      },
      memory,
      memoryTarget([worker], { what: 'the same, under lists of 20,000', atMost: limits.listsMemoryMb }),
    ],
  };
}

module.exports = { cold };
