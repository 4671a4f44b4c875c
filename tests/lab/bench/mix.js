'use strict';
const { createRandom, shuffled } = require('../../../scripts/generate/random');
const { findBreakpoint } = require('../../../scripts/lib/search');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { rowOf, trafficTo, wrk } = require('./measure');
const { startStack } = require('./own-stack');
const { bothCores } = require('./pinned');
const { memoryTarget } = require('./resources');

const limits = { p99Ms: 25, overClosedLoop: 0.4 };
const searchFrom = 2000;
/** Far above what two cores reach. */
const highestRate = 64_000;
/** Shares of a rate that are given up when it does not hold for all rounds, in turn: an end within minutes. */
const retreats = [0.05, 0.05, 0.05, 0.1, 0.2, 0.4, 0.8];

/** Of seven reads: what the page views of a shopper request. */
const turns = ['product', 'product', 'product', 'product', 'list', 'styles', 'related'];
const rowsOfPage = 5; // the API's default
const requestCount = 300_000;

const draws = 2 ** 32;
/** As in YCSB (Cooper et al., 2010). With 1 the inverted integral would divide by 0. */
const exponent = 0.99;

/**
 * Ranks from 1 to `count` with probability ∝ rank^-exponent, by inverting the integral of that curve: no table. The
 * first ranks come a little less often than by the sum (of a thousand, 10 % are rank 1 instead of 13 %).
 * @param {number} count
 * @param {(bound: number) => number} below a random integer below the bound
 * @returns {() => number}
 */
function zipf(count, below) {
  const power = 1 - exponent;
  const whole = (count + 1) ** power - 1;
  return () => Math.min(count, Math.floor((1 + (below(draws) / draws) * whole) ** (1 / power)));
}

/**
 * The paths of a realistic mix. Ids are Zipf-distributed over the whole catalog, the popular ones scattered over it;
 * one read in ten goes evenly to the newest tenth. Pages are Zipf-distributed in their natural order: the first is
 * the most read.
 * @param {number[]} ids of the catalog, in order
 * @param {{ count?: number, seed?: number }} [draw] another seed draws other requests of the same popularity
 * @returns {string[]}
 */
function mixPaths(ids, { count = requestCount, seed = 1 } = {}) {
  const below = createRandom(seed);
  const rank = zipf(ids.length, below);
  const page = zipf(Math.ceil(ids.length / rowsOfPage), below);
  const scattered = shuffled(ids, createRandom(7)); // rank → id, the same in every draw
  const tenth = Math.ceil(ids.length / 10);
  const anyId = () => (below(10) === 0 ? ids[ids.length - 1 - below(tenth)] : scattered[rank() - 1]);
  return Array.from({ length: count }, () => {
    const turn = turns[below(turns.length)];
    if (turn === 'list') return `/products?page=${page()}&count=${rowsOfPage}`;
    return `/products/${anyId()}${turn === 'product' ? '' : `/${turn}`}`;
  });
}

/** @param {{ p99Ms: number, errors: number }} result */
const isGood = ({ p99Ms, errors }) => errors === 0 && p99Ms <= limits.p99Ms;

/**
 * The highest rate that holds, and what was measured at it. No request is sent twice before the file of paths ends.
 * @param {string} name of the server @param {import('./measure').Send} send
 * @param {{ rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Row & { rps: number }>}
 */
async function rateOf(name, send, { rounds, seconds, say }) {
  let errors = 0;
  const runAt = async (/** @type {number} */ rate) => {
    const result = await send(rate, seconds);
    errors += result.errors;
    say(`${name}, ${rate}/s: p99 ${result.p99Ms.toFixed(1)} ms`);
    return result;
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
 * no error, compared with a closed loop, in which latency does not count. Traffic generator, nginx, workers, PostgreSQL and
 * Valkey share all cores.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function mix({ products, ...options }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const [fillFile, loopFile, file] = ['fill', 'loop', 'measure'].map((name, seed) =>
    pathsFile(dataset.dir, `mix-${name}`, mixPaths(ids, { seed: seed + 1 })),
  );
  const { workers, front } = await startStack(dataset);
  const loop = (/** @type {string} */ paths, /** @type {number} */ seconds) =>
    wrk({ port: front.port, paths, seconds, cpu: bothCores });
  options.say('fills the caches');
  await loop(fillFile, 2 * options.seconds);
  const name = 'two workers through nginx';
  options.say(`${name}, closed loop`);
  const closed = rowOf('mix', `${name}, closed loop`, [await loop(loopFile, options.rounds * options.seconds)]);
  const held = await rateOf(name, trafficTo(front, file), options);
  return {
    name: 'mix',
    rows: [closed, held],
    targets: [
      {
        what: `rate with p99 ≤ ${limits.p99Ms} ms and no error / closed loop`,
        atLeast: limits.overClosedLoop,
        is: held.rps / closed.rps,
      },
      memoryTarget(workers),
    ],
  };
}

module.exports = { mix, mixPaths, rateOf, zipf };
