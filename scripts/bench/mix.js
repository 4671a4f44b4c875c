'use strict';
const { findBreakpoint } = require('../lib/search');
const { startPredecessor } = require('./baselines');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { mixPaths } = require('./mix-requests');
const { startStack } = require('./own-stack');
const { bothCores } = require('./pinned');
const { memoryTarget } = require('./resources');
const { rowOf } = require('./rounds');
const { Traffic } = require('./traffic');
const { wrk } = require('./wrk');

const limits = { p99Ms: 25, overPredecessor: 2 };
const searchFrom = 2000;
/** Far above what two cores reach. */
const highestRate = 64_000;
const backOff = 0.05;

/** @param {{ p99Ms: number, errors: number }} result */
const isGood = ({ p99Ms, errors }) => errors === 0 && p99Ms <= limits.p99Ms;

/**
 * The highest rate that holds, and what was measured at it.
 * @param {{ search: Pick<Traffic, 'name' | 'send' | 'finish'>, confirm: Pick<Traffic, 'send'> }} traffic
 *   `confirm`: the same with other requests
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Row & { rps: number }>}
 */
async function rateOf({ search, confirm }, { rounds, seconds, say }) {
  const { name } = search;
  let errors = 0;
  /** @param {Pick<Traffic, 'send'>} traffic @param {number} rate */
  const send = async (traffic, rate) => {
    const result = await traffic.send(rate, seconds);
    errors += result.errors;
    return result;
  };
  const probed = async (/** @type {number} */ rate) => {
    const result = await send(search, rate);
    say(`${name}, ${rate}/s: p99 ${result.p99Ms.toFixed(1)} ms`);
    return isGood(result);
  };
  // A rate has to hold for all rounds, with requests that were never sent before. The search leaves a faster server with
  // more of its own requests cached, so it finishes them on both.
  const confirmed = async (/** @type {number} */ rate) => {
    await search.finish(rate);
    /** @type {{ p99Ms: number, errors: number }[]} */
    const held = [];
    while (held.length < rounds && held.every(isGood)) held.push(await send(confirm, rate));
    if (!held.every(isGood)) say(`${name}, ${rate}/s does not hold`);
    return { rate, ok: held.every(isGood), figures: held.map((one) => ({ rps: rate, ...one })) };
  };
  const { held } = await findBreakpoint({
    from: searchFrom,
    limit: highestRate,
    retreats: [backOff],
    probe: async (rate, sustained) => {
      if (sustained) return confirmed(rate);
      // A second try: one unlucky probe would end the search far below the rate that holds.
      return { rate, ok: (await probed(rate)) || (await probed(rate)), figures: [] };
    },
  });
  if (held) return rowOf('mix', name, held.figures);
  // Without errors the count is unknown, not 0: no rate was answered.
  return { route: 'mix', what: name, rps: 0, p99Ms: NaN, errors: errors || NaN };
}

/**
 * A realistic mix through nginx to two workers with their caches: the highest constant rate with a p99 within the limit and
 * no error. Traffic generator, nginx, workers, PostgreSQL and Valkey share all cores.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function mix({ products, ...options }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const [searchFile, confirmFile] = ['search', 'confirm'].map((name, seed) =>
    pathsFile(dataset.dir, `mix-${name}`, mixPaths(ids, { seed: seed + 1 })),
  );
  const { workers, front } = await startStack(dataset);
  const servers = { 'two workers through nginx': front, 'predecessor, two processes': await startPredecessor(dataset) };
  const rows = [];
  for (const [name, server] of Object.entries(servers)) {
    options.say(`${name}: fills its caches`);
    await wrk({ port: server.port, paths: searchFile, seconds: options.seconds * 2, cpu: bothCores });
    const [search, confirm] = [searchFile, confirmFile].map((file) => new Traffic(name, server, file));
    rows.push(await rateOf({ search, confirm }, options));
  }
  const [ours, predecessor] = rows.map(({ rps }) => rps);
  return {
    name: 'mix',
    rows,
    targets: [
      {
        what: `rate with p99 ≤ ${limits.p99Ms} ms and no error / predecessor`,
        atLeast: limits.overPredecessor,
        is: predecessor > 0 ? ours / predecessor : NaN,
        because: 'no rate of the predecessor holds',
      },
      memoryTarget(workers),
    ],
  };
}

module.exports = { mix, rateOf };
