'use strict';
const path = require('node:path');
const { noCacheBytes, pgbench } = require('./cold');
const { startWorker } = require('./contestants');
const { openDataset, writePaths } = require('./dataset');
const { interleave } = require('./statistics');
const { rowOf, wrk } = require('./wrk');

const shares = [1 / 100, 1 / 10, 1];
const bars = { rateOverSmallest: 0.75, p99OverSmallest: 1.5 };
const idCount = 200_000;

/**
 * The same cold reads of catalogs a tenth and a hundredth of the size, and what the database alone loses.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function growth({ products, rounds, seconds, say }) {
  /** @type {Record<string, () => Promise<import('./wrk').WrkResult>>} */
  const contestants = {};
  for (const share of shares) {
    const count = Math.max(1, Math.floor(products * share));
    const dataset = await openDataset(count);
    const dsn = dataset.postgres.dsn('api');
    const log = path.join(dataset.dir, 'bench.log');
    const worker = await startWorker({ dsn, l1Bytes: noCacheBytes, log });
    const paths = await writePaths(dataset, {
      count: idCount,
      tails: ['/styles'],
      name: 'growth',
    });
    contestants[`${count} products, one worker`] = () => wrk({ port: worker.port, paths, seconds });
    contestants[`${count} products, pgbench`] = () => pgbench(dataset, seconds);
  }
  const results = await interleave(contestants, rounds, say);
  const rows = Object.entries(results).map(([what, runs]) => rowOf('styles', what, runs));
  const workers = rows.filter(({ what }) => what.endsWith('one worker'));
  const [smallest, largest] = [workers[0], workers[workers.length - 1]];
  return {
    name: 'growth',
    rows,
    bars: [
      {
        what: 'cold rate of the whole set / of a hundredth',
        atLeast: bars.rateOverSmallest,
        is: largest.rps / smallest.rps,
      },
      {
        what: 'cold p99 of the whole set / of a hundredth',
        atMost: bars.p99OverSmallest,
        is: largest.p99Ms / smallest.p99Ms,
      },
    ],
  };
}

module.exports = { growth };
