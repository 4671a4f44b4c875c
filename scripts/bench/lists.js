'use strict';
const path = require('node:path');
const { withClient } = require('../lib/roles');
const { noCacheBytes } = require('./cold');
const { startJournal, startWorker } = require('./contestants');
const { checkPages, writePages } = require('./pages');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { interleave } = require('./statistics');
const { memoryBar } = require('./resources');
const { rowOf, wrk } = require('./wrk');
/** @import { Contestant } from './contestants' */
/** @import { Dataset } from './dataset' */

const bars = { lastOverFirst: 1.2, wrongPages: 0, errors: 0 };
const checkedPages = 300;
const longestRows = 20_000;
/** Every seventh product of a hundredth of the ids: blocks that are thinned and blocks that are whole. */
const gone = 'id % 7 = 0 AND id / 100 % 10 = 3';

/**
 * Deletes products, has the work done and brings them back, with the counts of their blocks. If it is killed between,
 * the next run finds a catalog of another size and loads it again.
 * @param {Dataset} dataset @param {() => Promise<void>} work
 */
async function withoutSome({ postgres }, work) {
  await withClient(postgres.superuserDsn('catalog'), async (client) => {
    await client.query(`CREATE TEMPORARY TABLE gone AS
      SELECT * FROM catalog.product_documents WHERE ${gone}`);
    const change = (/** @type {string} */ sql) =>
      client.query(`BEGIN; ${sql}; SELECT catalog_meta.bump_version(); COMMIT`);
    await change(`DELETE FROM catalog.product_documents WHERE ${gone}`);
    try {
      await work();
    } finally {
      await change('INSERT INTO catalog.product_documents SELECT * FROM gone');
    }
  });
}

/** @param {Dataset} dataset @param {number} rowCount @param {number} seconds */
async function startAll(dataset, rowCount, seconds) {
  const log = path.join(dataset.dir, 'bench.log');
  const dsn = dataset.postgres.dsn('loader');
  const worker = await startWorker({
    dsn: dataset.postgres.dsn('api'),
    l1Bytes: noCacheBytes,
    log,
  });
  /** @type {Record<string, Contestant>} */
  const servers = {
    'one worker': worker,
    'the journal, OFFSET': await startJournal({ dsn, log }),
    'the journal, by id': await startJournal({ dsn, pages: 'keyset', log }),
  };
  const hundredth = Math.ceil(rowCount / 100);
  const places = {
    'first pages': writePages(dataset, 0, hundredth),
    'any page': writePages(dataset, 0, rowCount),
    'last pages': writePages(dataset, rowCount - hundredth, rowCount),
  };
  const contestants = Object.fromEntries(
    Object.entries(servers).flatMap(([name, { port }]) =>
      Object.entries(places).map(([place, paths]) => [`${name}, ${place}`, () => wrk({ port, paths, seconds })]),
    ),
  );
  return { worker, contestants };
}

/**
 * The traffic that takes most memory: lists of the greatest length, plain and compressed, more than a worker takes at once.
 * @param {Dataset} dataset @param {Contestant} worker @param {number[]} ids @param {number} seconds
 */
async function askForLongest({ dir }, { port }, ids, seconds) {
  const starts = ids.filter((_, index) => index % 1009 === 0);
  const lists = starts.map((id) => `/products?after=${id}&count=${longestRows}`);
  const paths = pathsFile(dir, 'longest', lists);
  for (const encoding of ['identity', 'gzip'])
    await wrk({ port, paths, seconds, connections: 8, headers: [`Accept-Encoding: ${encoding}`] });
}

/**
 * Random pages at random depth with random counts, uncached; and whether their rows are those that OFFSET gives,
 * with gaps in the ids, and after deletes.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function lists({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const { worker, contestants } = await startAll(dataset, ids.length, seconds);
  const results = await interleave(contestants, rounds, say);
  say(`${checkedPages} pages against the order of ids, then again after deletes`);
  const wrong = await checkPages(worker, ids, checkedPages);
  let wrongAfterDeletes = NaN;
  await withoutSome(dataset, async () => {
    wrongAfterDeletes = await checkPages(worker, await idsOf(dataset), checkedPages);
  });
  say(`lists of ${longestRows} products, for the memory that they take`);
  await askForLongest(dataset, worker, ids, seconds);
  const rows = Object.entries(results).map(([what, runs]) => rowOf('list', what, runs));
  const rps = (/** @type {string} */ name) => rows.find(({ what }) => what === name)?.rps ?? NaN;
  const ratio = rps('one worker, first pages') / rps('one worker, last pages');
  const atMost = bars.wrongPages;
  const own = Object.keys(results).filter((name) => name.startsWith('one worker, '));
  const { errors } = rowOf(
    'list',
    'one worker',
    own.flatMap((name) => results[name]),
  );
  return {
    name: 'lists',
    rows,
    bars: [
      { what: 'cost of a last page / a first page', atMost: bars.lastOverFirst, is: ratio },
      { what: `wrong pages of ${checkedPages}`, atMost, is: wrong },
      { what: `wrong pages of ${checkedPages}, after deletes`, atMost, is: wrongAfterDeletes },
      // Its own: the journal's pages take so long that wrk gives up.
      { what: 'errors of one worker', atMost: bars.errors, is: errors },
      memoryBar([worker]),
    ],
  };
}

module.exports = { lists };
