'use strict';
const { pgbench } = require('./baselines');
const { idsOf, openDataset, randomPaths } = require('./dataset');
const { interleave, rowOf, wrk } = require('./measure');
const { noCacheBytes, startWorker } = require('./own-stack');
const { memoryTarget } = require('./resources');

const limits = { overPgbench: 0.45, overStyles: 1 };
const idCount = 200_000;
const routes = { styles: '/styles', product: '', related: '/related' };

/**
 * Random products of the whole catalog without caches: one worker on one core, and PostgreSQL.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./targets').Part>}
 */
async function cold({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  const worker = await startWorker(dataset, { l1Bytes: noCacheBytes });
  const ids = await idsOf(dataset);
  /** @type {Record<string, () => Promise<import('./measure').WrkResult>>} */
  const measurements = {};
  for (const [route, tail] of Object.entries(routes)) {
    const paths = randomPaths(dataset, ids, { count: idCount, tail, name: `cold-${route}` });
    measurements[`one worker, ${route}`] = () => wrk({ port: worker.port, paths, seconds });
  }
  measurements['pgbench, styles'] = () => pgbench(dataset, seconds);
  const rows = Object.entries(await interleave(measurements, rounds, say)).map(([name, runs]) => {
    const [what, route] = name.split(', ');
    return rowOf(route, what, runs);
  });
  /** @param {string} name @param {string} [of] */
  const rps = (name, of = 'styles') => rows.find(({ what, route }) => what === name && route === of)?.rps ?? NaN;
  const styles = rps('one worker');
  return {
    name: 'cold',
    rows,
    targets: [
      { what: 'styles / pgbench', atLeast: limits.overPgbench, is: styles / rps('pgbench') },
      { what: 'product / styles', atLeast: limits.overStyles, is: rps('one worker', 'product') / styles },
      { what: 'related / styles', atLeast: limits.overStyles, is: rps('one worker', 'related') / styles },
      memoryTarget([worker]),
    ],
  };
}

module.exports = { cold };
