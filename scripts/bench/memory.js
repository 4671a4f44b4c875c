'use strict';
const { bars, freshLoad } = require('./load');
const { limitMemory } = require('./memory-limit');
const { dataOf } = require('./dataset');

const limitMb = 1024;
const shares = [0.1, 0.3, 1];

/**
 * A load with PostgreSQL beside it inside a hard limit, as on a machine of 1 GB; the server sizes itself from it.
 * @param {string} data @param {(line: string) => void} say
 * @returns {Promise<{ memoryMb: number, killed: number }>} NaN where no cgroup can be made; a load that failed for what was
 *   killed is a figure as well
 */
async function limitedLoad(data, say) {
  /** @type {import('./memory-limit').Limit} */
  let limit;
  try {
    limit = limitMemory(limitMb);
  } catch (error) {
    say(`no limited run: ${/** @type {Error} */ (error).message} (needs root and a writable cgroup)`);
    return { memoryMb: NaN, killed: NaN };
  }
  try {
    const failure = await freshLoad(data, []).then(
      () => undefined,
      (error) => error,
    );
    if (failure && limit.killed() === 0) throw failure;
    return { memoryMb: limit.peakMb(), killed: limit.killed() };
  } finally {
    limit.leave();
  }
}

/**
 * What the loader takes for growing catalogs, for dirty ones, and whether it fits into 1 GB together with PostgreSQL.
 * @param {{ products: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function memory({ products, say }) {
  /** @type {import('./bars').Row[]} */
  const rows = [];
  /** @type {Record<string, number>} the highest of each number of jobs */
  const peaks = { 1: 0, 2: 0 };
  const kinds = [...shares.map((share) => ({ share, dirty: false })), { share: 1, dirty: true }];
  for (const { share, dirty } of kinds) {
    const count = Math.round(products * share);
    const data = await dataOf(count, { dirty });
    for (const jobs of ['2', '1']) {
      const what = `loader --jobs ${jobs}, ${count.toLocaleString('en-US')} products${dirty ? ', dirty' : ''}`;
      say(what);
      const { pssMb } = await freshLoad(data, ['--jobs', jobs, '--max-reject', '100']);
      peaks[jobs] = Math.max(peaks[jobs], pssMb);
      rows.push({ route: 'load', what, memoryMb: pssMb });
    }
  }
  say(`the loader and PostgreSQL under a limit of ${limitMb} MB`);
  const { memoryMb, killed } = await limitedLoad(await dataOf(products), say);
  const what = 'loader and PostgreSQL in 1 GB, page cache included';
  rows.push({ route: 'load', what, memoryMb });
  return {
    name: 'memory',
    rows,
    bars: [
      { what: 'memory of all processes, MB (PSS)', atMost: bars.memoryMb, is: peaks[2] },
      { what: 'memory with --jobs 1, MB (PSS)', atMost: bars.oneJobMemoryMb, is: peaks[1] },
      { what: `processes killed under a limit of ${limitMb} MB`, atMost: 0, is: killed },
    ],
  };
}

module.exports = { memory };
