'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRandom } = require('../generate/random');
const { shuffled } = require('../lib/shuffled');
const { startOurs } = require('./mix');
const { startStaticNginx } = require('./nginxes');
const { LoadGenerator } = require('./load-generator');
const { idsOf, openDataset, pathsFile } = require('./dataset');
const { watchStolen } = require('./resources');
const { wrk } = require('./wrk');
/** @import { Dataset } from './dataset' */

const rate = 1000;
const seconds = 60;
const bars = { p99Ms: 10, errors: 0 };
/** Of the processor time asked for. With 2 % p99 is 6 ms, with 13 % 14, with 30 % 261 (one run of four routes). */
const quietPercent = 3;
const attempts = 3;
const witness = { rate: 100, what: 'witness: nginx, one file, 100/s meanwhile' };
const rowsOfPage = 5; // the API's default

/** Of a page or of a product. @type {Record<string, (number: number) => string>} */
const routes = {
  list: (page) => `/products?page=${page}&count=${rowsOfPage}`,
  product: (id) => `/products/${id}`,
  styles: (id) => `/products/${id}/styles`,
  related: (id) => `/products/${id}/related`,
};

/**
 * Every second page or product, each once, in an order of chance: replies of the one half are in no cache when the
 * other has been asked for.
 * @param {string} route @param {number[]} ids of the catalog, in order @param {0 | 1} half
 * @returns {string[]} paths, as many as three minutes ask for where there are so many
 */
function halfOf(route, ids, half) {
  const pages = Array.from({ length: Math.ceil(ids.length / rowsOfPage) }, (_, index) => index + 1);
  const own = (route === 'list' ? pages : ids).filter((_, index) => index % 2 === half);
  return shuffled(own, createRandom(half))
    .slice(0, attempts * rate * seconds)
    .map(routes[route]);
}

/** @param {Dataset} dataset @param {number[]} ids @param {string} route @param {0 | 1} half @returns {string} a file of paths */
const writeHalf = ({ dir }, ids, route, half) => pathsFile(dir, `steady-${route}-${half}`, halfOf(route, ids, half));

/**
 * An nginx with one file, asked beside each route: what the machine itself does to a request at that time, on cores that the
 * service keeps as busy and of which the host takes as much.
 * @param {Dataset} dataset
 */
async function startWitness({ dir }) {
  const files = path.join(dir, 'witness');
  fs.mkdirSync(files, { recursive: true });
  fs.writeFileSync(path.join(files, 'file.json'), '{}');
  const paths = pathsFile(dir, 'witness', ['/file.json']);
  return new LoadGenerator('witness', await startStaticNginx({ dir, files }), paths);
}

/**
 * Minutes until one in which the host took little, at most three. What counts is the quietest, whatever its p99; an error
 * counts in all of them.
 * @param {LoadGenerator} generator @param {LoadGenerator} beside @param {(line: string) => void} say
 */
async function quietestMinute(generator, beside, say) {
  const minutes = [];
  do {
    say(`${generator.name}, ${rate}/s for ${seconds} s`);
    const stolen = watchStolen();
    const [own, seen] = await Promise.all([generator.load(rate, seconds), beside.load(witness.rate, seconds)]);
    minutes.push({ own, seen, stolenPercent: stolen() });
  } while (minutes.length < attempts && minutes.every((one) => one.stolenPercent > quietPercent));
  const [quietest] = minutes.toSorted((a, b) => a.stolenPercent - b.stolenPercent);
  const errors = minutes.reduce((sum, { own }) => sum + own.errors, 0);
  return { ...quietest, own: { ...quietest.own, errors } };
}

/**
 * Each route at 1,000 requests a second for a minute, evenly over one half of the catalog; the other half has warmed the
 * service up. No cache helps: nothing is asked for twice, but for pages (of a million products after 100 s). The rate of
 * `npm run k6 -- ladder --rates 1000`, by a generator that takes a tenth of k6's processor time: on the machine of the
 * service k6's own share is most of what k6 sees above 10 ms.
 * @param {{ products: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function steady({ products, say }) {
  const dataset = await openDataset(products);
  const ids = await idsOf(dataset);
  const { front } = await startOurs(dataset);
  const beside = await startWitness(dataset);
  /** @type {import('./bars').Part} */
  const part = { name: 'steady', rows: [], bars: [] };
  for (const route of Object.keys(routes)) {
    const [paths, others] = [writeHalf(dataset, ids, route, 0), writeHalf(dataset, ids, route, 1)];
    // PostgreSQL has just started and reads its buffers back meanwhile.
    await wrk({ port: front.port, paths: others, seconds: 20, cpu: '0,1' });
    const minute = await quietestMinute(new LoadGenerator(route, front, paths), beside, say);
    const { own, seen, stolenPercent } = minute;
    const what = `${rate}/s for ${seconds} s, the host taking ${stolenPercent.toFixed(1)} %`;
    part.rows.push({ route, what, rps: rate, ...own }, { route, what: witness.what, rps: witness.rate, ...seen });
    part.bars.push(
      { what: `p99 ms at ${rate}/s`, route, atMost: bars.p99Ms, is: own.p99Ms },
      { what: `errors at ${rate}/s`, route, atMost: bars.errors, is: own.errors },
    );
  }
  return part;
}

module.exports = { halfOf, steady };
