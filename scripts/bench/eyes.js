'use strict';
const { residentMb } = require('../lib/proc');
const { noCacheBytes } = require('./cold');
const { openDataset, writePaths } = require('./dataset');
const { interleave, median } = require('./statistics');
const { allEyes, startWorkers } = require('./watched-workers');
const { rowOf, wrk } = require('./wrk');
/** @import { Dataset } from './dataset' */

/**
 * What may be lost to looking: of the requests, and of their p99; and how memory may grow from the first round to the last, which
 * tells of bytes kept of each request. Ten traces a second of a queue without a bound would not show.
 */
const bars = { requests: 0.95, p99: 1.05, memory: 1.1 };
/** Of each of two workers that are measured at once. */
const connections = 16;
/** Five times as often as scripts/monitoring/prometheus.yml. */
const scrapeEveryMs = 3000;
/** Of all workers anew: two that are alike differ by up to 6 % for as long as they live (where V8 and malloc put things). */
const starts = 4;
const hotIds = 1000;
const coldIds = 200_000;

/**
 * Measures while Prometheus would scrape.
 * @param {import('./watched-workers').Watched} worker @param {string} paths @param {number} seconds
 */
async function measure({ port, pid, adminPort }, paths, seconds) {
  const scrape = () => fetch(`http://127.0.0.1:${adminPort}/metrics`).then((reply) => reply.text());
  // A worker that ends meanwhile fails the measurement by its requests.
  const timer = setInterval(() => void scrape().catch(() => {}), scrapeEveryMs);
  try {
    return { ...(await wrk({ port, paths, seconds, connections })), memoryMb: residentMb(pid) };
  } finally {
    clearInterval(timer);
  }
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Measured */
/** @typedef {{ seeing: Measured, blind: Measured }} Pair */

/** @param {string} route @param {string} what @param {Measured[]} runs */
const watchedRow = (route, what, runs) => ({
  ...rowOf(route, what, runs),
  memoryMb: runs[runs.length - 1].memoryMb,
});

/**
 * @param {'hot' | 'cold'} route @param {Record<string, Pair[]>} results of all starts
 * @param {number[]} growth of the memory of the worker with all eyes, from the first round of each start to its last
 * @returns {{ rows: import('./bars').Row[], bars: import('./bars').Bar[] }}
 */
function judge(route, results, growth) {
  const rows = Object.entries(results).flatMap(([what, pairs]) => [
    watchedRow(
      route,
      `blind, beside: ${what}`,
      pairs.map(({ blind }) => blind),
    ),
    watchedRow(
      route,
      what,
      pairs.map(({ seeing }) => seeing),
    ),
  ]);
  const ratio = (/** @type {'rps' | 'p99Ms'} */ figure) =>
    median(results[allEyes].map(({ seeing, blind }) => seeing[figure] / blind[figure]));
  return {
    rows,
    bars: [
      {
        what: `${route}: requests/s, ${allEyes} / blind`,
        atLeast: bars.requests,
        is: ratio('rps'),
      },
      { what: `${route}: p99, ${allEyes} / blind`, atMost: bars.p99, is: ratio('p99Ms') },
      {
        what: `${route}: memory, last round / first, ${allEyes}`,
        atMost: bars.memory,
        is: median(growth),
      },
    ],
  };
}

/**
 * One start of all workers.
 * @param {Dataset} dataset
 * @param {{ settings: NodeJS.ProcessEnv, paths: string, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<Record<string, Pair[]>>}
 */
async function measureOnce(dataset, { settings, paths, rounds, seconds, say }) {
  const { pairs, stop } = await startWorkers(dataset, settings);
  try {
    const both = async (/** @type {typeof pairs[string]} */ { seeing, blind }) => {
      const pair = [seeing, blind].map((one) => measure(one, paths, seconds));
      const [own, beside] = await Promise.all(pair);
      return { seeing: own, blind: beside };
    };
    const contestants = Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [name, () => both(pair)]));
    await interleave(contestants, 1, (line) => say(`warming up: ${line}`)); // fills caches and pools
    return await interleave(contestants, rounds, say);
  } finally {
    await stop();
  }
}

/**
 * What looking costs: a worker with metrics and log, one with traces to a collector that never answers, one with the New
 * Relic agent; each beside one that nobody counts, both at once on one core. One after the other, two workers that are
 * alike differed by 10 %: the machine changes its speed within a second.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function eyes({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  /** @type {import('./bars').Part} */
  const part = { name: 'eyes', rows: [], bars: [] };
  const modes = /** @type {const} */ ({
    hot: { count: Math.min(hotIds, products), settings: {} },
    cold: { count: Math.min(coldIds, products), settings: { L1_MAX_BYTES: String(noCacheBytes) } },
  });
  try {
    for (const route of /** @type {const} */ (['hot', 'cold'])) {
      const { count, settings } = modes[route];
      const paths = await writePaths(dataset, { count, tails: ['/styles'], name: `eyes-${route}` });
      /** @type {Record<string, Pair[]>} */
      const results = {};
      const growth = [];
      for (let start = 1; start <= starts; start += 1) {
        const once = await measureOnce(dataset, {
          settings,
          paths,
          rounds,
          seconds,
          say: (line) => say(`${route}, start ${start} of ${starts}: ${line}`),
        });
        for (const [name, pairs] of Object.entries(once)) (results[name] ??= []).push(...pairs);
        const [first, ...later] = once[allEyes].map(({ seeing }) => seeing.memoryMb);
        growth.push((later.at(-1) ?? NaN) / first);
      }
      const judged = judge(route, results, growth);
      part.rows.push(...judged.rows);
      part.bars.push(...judged.bars);
    }
  } finally {
    await dataset.close();
  }
  return part;
}

module.exports = { eyes };
