'use strict';
const { createRandom } = require('../../../scripts/generate/random');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { interleave, rowOf, wrk } = require('./measure');
const { noCacheBytes, startWorker } = require('./own-stack');
const { memoryTarget } = require('./resources');
/** @import { Dataset } from './dataset' */

const limits = { lastOverFirst: 1.2 };
const mostRows = 100;
const pathCount = 50_000;
const longestRows = 20_000;
const workerMemoryMb = 200;

/**
 * A random page with a random count that begins between two rows.
 * @param {(bound: number) => number} below @param {number} from @param {number} to
 * @returns {{ page: number, count: number }}
 */
function randomPage(below, from, to) {
  const count = 1 + below(mostRows);
  const row = from + below(to - from);
  return { page: Math.floor(row / count) + 1, count };
}

/**
 * @param {Dataset} dataset @param {number} from first row @param {number} to
 * @returns {string} a file of so many pages that none is in a cache
 */
function writePages({ dir }, from, to) {
  const below = createRandom(from + 1);
  const paths = Array.from({ length: pathCount }, () => {
    const { page, count } = randomPage(below, from, to);
    return `/products?page=${page}&count=${count}`;
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
 * Random pages of 1 to 100 products without caches, at both ends of the catalog; and the memory that long lists take.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function lists({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const worker = await startWorker(dataset, { l1Bytes: noCacheBytes });
  const { port } = worker;
  const hundredth = Math.ceil(ids.length / 100);
  const [first, last] = [writePages(dataset, 0, hundredth), writePages(dataset, ids.length - hundredth, ids.length)];
  const measurements = {
    'one worker, first pages': () => wrk({ port, paths: first, seconds }),
    'one worker, last pages': () => wrk({ port, paths: last, seconds }),
  };
  const results = await interleave(measurements, rounds, say);
  const rows = Object.entries(results).map(([what, runs]) => rowOf('list', what, runs));
  say(`lists of ${longestRows} products, for the memory of the worker`);
  await requestLongest(dataset, port, ids, seconds);
  return {
    name: 'lists',
    rows,
    targets: [
      { what: 'cost of a last page / a first page', atMost: limits.lastOverFirst, is: rows[0].rps / rows[1].rps },
      memoryTarget([worker], undefined, workerMemoryMb),
    ],
  };
}

module.exports = { lists, randomPage };
