'use strict';
const path = require('node:path');
const { findBreakpoint } = require('../lib/search');
const { startCache, startJournal, startWorker } = require('./contestants');
const { writeMix } = require('./mix-requests');
const { startOurNginx, startPlainNginx } = require('./nginxes');
const { LoadGenerator } = require('./load-generator');
const { idsOf, openDataset } = require('./dataset');
const { memoryBar } = require('./resources');
const { rowOf, wrk } = require('./wrk');
/** @import { Dataset } from './dataset' */

const bars = { p99Ms: 25, overJournal: 2 };
const bothCores = '0,1';
const searchFrom = 2000;
/** No side has come near. */
const highestRate = 64_000;
const backOff = 0.05;

/** @param {{ p99Ms: number, errors: number }} result */
const isGood = ({ p99Ms, errors }) => errors === 0 && p99Ms <= bars.p99Ms;

/**
 * The highest rate that holds, and what was seen at it.
 * @param {{ search: Pick<LoadGenerator, 'name' | 'load' | 'finish'>, confirm: Pick<LoadGenerator, 'load'> }} generators
 *   `confirm`: the same with other requests
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Row & { rps: number }>}
 */
async function rateOf({ search, confirm }, { rounds, seconds, say }) {
  const { name } = search;
  let errors = 0;
  /** @param {number} tried @param {Pick<LoadGenerator, 'load'>} [generator] */
  const load = async (tried, generator = search) => {
    const result = await generator.load(tried, seconds);
    errors += result.errors;
    return result;
  };
  const probed = async (/** @type {number} */ rate) => {
    const result = await load(rate);
    say(`${name}, ${rate}/s: p99 ${result.p99Ms.toFixed(1)} ms`);
    return isGood(result);
  };
  // One lucky probe is no rate: it has to hold for all rounds, with requests that nobody has sent before: a faster side has
  // come further in those of the search, and would be asked some for the second time.
  const confirmed = async (/** @type {number} */ rate) => {
    await search.finish(rate);
    /** @type {{ p99Ms: number, errors: number }[]} */
    const held = [];
    while (held.length < rounds && held.every(isGood)) held.push(await load(rate, confirm));
    if (!held.every(isGood)) say(`${name}, ${rate}/s does not hold`);
    return { rate, ok: held.every(isGood), figures: held.map((one) => ({ rps: rate, ...one })) };
  };
  const { held } = await findBreakpoint({
    from: searchFrom,
    limit: highestRate,
    retreats: [backOff],
    probe: async (rate, sustained) => {
      if (sustained) return confirmed(rate);
      // One unlucky probe would end the search far below (25.2 ms at 3,000 a second, of a side that held 3,938 before).
      return { rate, ok: (await probed(rate)) || (await probed(rate)), figures: [] };
    },
  });
  if (held) return rowOf('mix', name, held.figures);
  // A count of 0 would say that a rate was answered without error.
  return { route: 'mix', what: name, rps: 0, p99Ms: NaN, errors: errors || NaN };
}

/** Two workers of ours behind our nginx. @param {Dataset} dataset */
async function startOurs(dataset) {
  const options = {
    dsn: dataset.postgres.dsn('api'),
    redisUrl: await startCache(dataset.dir, 'ours'),
    log: path.join(dataset.dir, 'bench.log'),
    cpu: bothCores,
  };
  const workers = [await startWorker(options), await startWorker(options)];
  return { workers, front: await startOurNginx({ dir: dataset.dir, workers, cpu: bothCores }) };
}

/** Two processes of the journal's design, in its later form, behind an nginx that only balances. @param {Dataset} dataset */
async function startTheirs(dataset) {
  const options = {
    dsn: dataset.postgres.dsn('loader'),
    redisUrl: await startCache(dataset.dir, 'theirs'),
    pages: /** @type {const} */ ('keyset'),
    log: path.join(dataset.dir, 'bench.log'),
    cpu: bothCores,
  };
  const workers = [await startJournal(options), await startJournal(options)];
  return startPlainNginx({ dir: dataset.dir, workers, cpu: bothCores });
}

/**
 * A realistic mix through nginx to two workers with their caches: the highest constant rate that is answered in time,
 * found in an open model. Load generator, nginx, workers, PostgreSQL and Valkey share all cores.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function mix({ products, ...options }) {
  const dataset = await openDataset(products);
  const paths = writeMix(dataset, await idsOf(dataset));
  const ours = await startOurs(dataset);
  /** @type {[name: string, front: import('./contestants').Contestant][]} */
  const fronts = [
    ['two workers through nginx', ours.front],
    ["the journal's design, two processes", await startTheirs(dataset)],
  ];
  const rows = [];
  for (const [name, front] of fronts) {
    const warm = { port: front.port, paths: paths.search, seconds: options.seconds * 2, cpu: bothCores };
    await wrk(warm); // caches as they are after a while
    const [search, confirm] = [paths.search, paths.confirm].map((file) => new LoadGenerator(name, front, file));
    rows.push(await rateOf({ search, confirm }, options));
  }
  return {
    name: 'mix',
    rows,
    bars: [
      {
        what: `rate with p99 ≤ ${bars.p99Ms} ms and no error / the journal's`,
        atLeast: bars.overJournal,
        is: rows[0].rps / rows[1].rps,
      },
      memoryBar(ours.workers),
    ],
  };
}

module.exports = { mix, rateOf, startOurs };
