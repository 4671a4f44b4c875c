'use strict';
const path = require('node:path');
const { startWorker } = require('./contestants');
const { startOurNginx } = require('./nginxes');
const { openDataset, writePaths } = require('./dataset');
const { interleave, median } = require('./statistics');
const { cpuMs } = require('./resources');
const { rowOf, wrk } = require('./wrk');
/** @import { Contestant } from './contestants' */

const hotIds = 1000;
const bars = { gzipOverPlain: 1 };

/**
 * @param {Contestant} front where it is asked
 * @param {Contestant[]} servers whose CPU counts
 * @param {string} paths @param {number} seconds @param {string[]} headers
 */
async function cost(front, servers, paths, seconds, headers) {
  const cpu = () => servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  await wrk({ port: front.port, paths, seconds: 1, headers }); // compresses it, and is kept by nginx, as in hot.js
  const before = cpu();
  const result = await wrk({ port: front.port, paths, seconds, headers });
  return { ...result, cpuUs: ((cpu() - before) * 1000) / (result.rps * seconds) };
}

/**
 * What a hot reply costs in CPU, plain and compressed.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function compression({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  const log = path.join(dataset.dir, 'bench.log');
  const paths = await writePaths(dataset, {
    count: hotIds,
    tails: ['/styles'],
    name: 'compression',
  });
  const worker = await startWorker({ dsn: dataset.postgres.dsn('api'), log });
  const nginx = await startOurNginx({ dir: dataset.dir, workers: [worker] });
  const gzip = ['Accept-Encoding: gzip'];
  // Said, not left out: the requests are alike, and only the replies differ.
  const plain = ['Accept-Encoding: identity'];
  const both = [nginx, worker];
  const contestants = {
    'one worker, plain': () => cost(worker, [worker], paths, seconds, plain),
    'one worker, gzip': () => cost(worker, [worker], paths, seconds, gzip),
    'through nginx, plain': () => cost(nginx, both, paths, seconds, plain),
    'through nginx, gzip': () => cost(nginx, both, paths, seconds, gzip),
  };
  const results = await interleave(contestants, rounds, say);
  const rows = Object.entries(results).map(([what, runs]) => ({
    ...rowOf('styles', what, runs),
    cpuUs: median(runs.map(({ cpuUs }) => cpuUs)),
  }));
  const ratio = (/** @type {string} */ who) => {
    const cpuOf = (/** @type {string} */ kind) => rows.find(({ what }) => what === `${who}, ${kind}`)?.cpuUs ?? NaN;
    return cpuOf('gzip') / cpuOf('plain');
  };
  return {
    name: 'compression',
    rows,
    bars: ['one worker', 'through nginx'].map((who) => ({
      what: `CPU of a hot gzip reply / plain, ${who}`,
      atMost: bars.gzipOverPlain,
      is: ratio(who),
    })),
  };
}

module.exports = { compression };
