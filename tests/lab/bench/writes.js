'use strict';
const { makePgbench, runPgbench, startWriteBack } = require('./baselines');
const { openDataset } = require('./dataset');
const { interleave, median } = require('./measure');
const { startCache, startWriter } = require('./own-stack');
const { sendWrites } = require('./write-load');
const { bulkRate, hotReads, killDuring, loggedRate, requestSize, singleRate } = require('./write-rates');
const { stockOf, untilApplied } = require('./written-stock');
/** @import { Dataset } from './dataset' */
/** @typedef {import('./write-rates').Options} Options */

const [direct, bulkProducts] = [64, 2000];
/** Of the catalog with which the rate of applying is compared. */
const smallShare = 0.01;

/** Rates beside pgbench, in turn. @param {Dataset} dataset @param {Options} options */
async function measureRates(dataset, { rounds, seconds, say }) {
  const dsn = dataset.postgres.superuserDsn('catalog');
  say('tables of pgbench');
  await makePgbench(dsn);
  const [writer, stock] = [await startWriter(dataset), await stockOf(dataset)];
  const peer = await startWriteBack(dataset, await startCache(dataset));
  const peerStock = await stockOf(dataset);
  let calls = 0;
  const rates = (/** @type {number} */ rps) => ({ rps, appliedRps: NaN, p99Ms: NaN, errors: 0, refused: 0 });
  const measurements = {
    'pgbench simple-update': async () =>
      rates((await runPgbench(dsn, ['--builtin', 'simple-update', '--client', '32'], seconds)).rps),
    [`stock, direct, ${direct} connections`]: () =>
      sendWrites(writer, { connections: direct, seconds }, () => stock.one()),
    [`stock, logged in requests of ${requestSize}`]: () => loggedRate(writer, dataset, stock, seconds),
    'write-back that acknowledges from memory': () =>
      sendWrites(peer, { connections: 8, seconds }, () => peerStock.many(requestSize)),
    'products in bulk': async () => rates(await bulkRate(writer, bulkProducts, `bulk-${(calls += 1)}`)),
    'products one by one': () => singleRate(writer, seconds, `single-${(calls += 1)}`),
  };
  const results = await interleave(/** @type {any} */ (measurements), rounds, say);
  say('kill -9');
  await killDuring(writer, stock, seconds);
  const again = await startWriter(dataset);
  await untilApplied(dataset);
  await killDuring(peer, peerStock, seconds);
  const lost = await stock.lostIn(dataset, 'catalog.skus');
  const lostByPeer = await peerStock.lostIn(dataset, 'bench_write_back');
  await again.stop();
  return { results: /** @type {Record<string, any[]>} */ (results), stock, lost, lostByPeer };
}

/** The rate at which a catalog applies its log. @param {number} products @param {Options} options */
async function appliedRate(products, { rounds, seconds, say }) {
  say(`${products} products`);
  const dataset = await openDataset(products, { toWrite: true });
  const [writer, stock] = [await startWriter(dataset), await stockOf(dataset)];
  const runs = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await loggedRate(writer, dataset, stock, seconds));
  await writer.stop();
  return median(runs.map(({ appliedRps }) => appliedRps));
}

/**
 * Writes against pgbench, against the write-back of the article and against one at a time; what they cost reads; and what a kill -9 loses.
 * @param {Options & { products: number }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function writes({ products, ...options }) {
  const dataset = await openDataset(products, { toWrite: true });
  const { results, stock, lost, lostByPeer } = await measureRates(dataset, options);
  const names = Object.keys(results);
  const of = (/** @type {string} */ name, /** @type {'rps' | 'appliedRps' | 'p99Ms'} */ field = 'rps') =>
    median(results[name].map((run) => run[field]));
  const [pgbench, singles, logged, peer, bulk, byOne] = names.map((name) => of(name));
  const applied = of(names[2], 'appliedRps');
  const reads = await hotReads(dataset, stock, options);
  const [without, idle, beside, burnt] = reads.map(({ rps }) => rps);
  const smallCatalog = Math.ceil(products * smallShare);
  const small = await appliedRate(smallCatalog, options);
  const rows = names.map((what) => ({
    ...{ route: 'write', what, rps: of(what), p99Ms: of(what, 'p99Ms') },
    errors: results[what].reduce((sum, { errors }) => sum + errors, 0),
  }));
  const row = (/** @type {string} */ what, /** @type {number} */ rps) => ({ route: 'write', what, rps });
  return {
    name: 'writes',
    rows: [
      ...rows,
      row('stock, logged and applied', applied),
      row(`the same, ${smallCatalog} products`, small),
      ...reads,
    ],
    targets: [
      { what: 'direct stock / pgbench', atLeast: 0.5, is: singles / pgbench },
      { what: 'logged stock / pgbench', atLeast: 5, is: logged / pgbench },
      { what: 'logged stock / write-back from memory', atLeast: 1, is: logged / peer },
      { what: 'acknowledged updates lost by kill -9', atMost: 0, is: lost },
      { what: 'the same, write-back from memory', atLeast: 1, is: lostByPeer },
      { what: 'products in bulk / one by one', atLeast: 4, is: bulk / byOne },
      { what: `applied with ${products} products / ${smallCatalog}`, atLeast: 0.75, is: applied / small },
      { what: 'hot reads with an idle writer / without', atLeast: 0.98, is: idle / without },
      { what: 'hot reads beside updates / the same CPU burnt', atLeast: 0.95, is: beside / burnt },
    ],
  };
}

module.exports = { writes };
