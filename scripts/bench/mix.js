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
/** Shares of a rate that are given up when it does not hold for all rounds, in turn: an end within minutes. */
const retreats = [0.05, 0.05, 0.05, 0.1, 0.2, 0.4, 0.8];

/** @param {{ p99Ms: number, errors: number }} result */
const isGood = ({ p99Ms, errors }) => errors === 0 && p99Ms <= limits.p99Ms;

/**
 * The highest rate that holds, and what was measured at it. No request is sent twice before the file of paths ends.
 * @param {string} name of the server @param {Pick<Traffic, 'send'>} traffic
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Row & { rps: number }>}
 */
async function rateOf(name, traffic, { rounds, seconds, say }) {
  let errors = 0;
  const runAt = async (/** @type {number} */ rate) => {
    const result = await traffic.send(rate, seconds);
    errors += result.errors;
    say(`${name}, ${rate}/s: p99 ${result.p99Ms.toFixed(1)} ms`);
    return { rps: rate, ...result };
  };
  const { held } = await findBreakpoint({
    from: searchFrom,
    limit: highestRate,
    retreats,
    probe: async (rate, sustained) => {
      const figures = [await runAt(rate)];
      // A second try: one unlucky probe would end the search far below the rate that holds.
      if (!sustained) return { rate, ok: figures.every(isGood) || isGood(await runAt(rate)), figures };
      while (figures.length < rounds && figures.every(isGood)) figures.push(await runAt(rate));
      return { rate, ok: figures.every(isGood), figures };
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
  const [fillFile, file] = ['fill', 'measure'].map((name, seed) =>
    pathsFile(dataset.dir, `mix-${name}`, mixPaths(ids, { seed: seed + 1 })),
  );
  const { workers, front } = await startStack(dataset);
  const servers = { 'two workers through nginx': front, 'predecessor, two processes': await startPredecessor(dataset) };
  const rows = [];
  for (const [name, server] of Object.entries(servers)) {
    options.say(`${name}: fills its caches`);
    await wrk({ port: server.port, paths: fillFile, seconds: options.seconds * 2, cpu: bothCores });
    rows.push(await rateOf(name, new Traffic(server, file), options));
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
