'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRandom } = require('../generate/random');
const { startOurs } = require('./mix');
const { startStaticNginx } = require('./nginxes');
const { Side } = require('./side');
const { idsOf, openStage } = require('./stage');
const { hasWrk, wrk } = require('./wrk');
/** @import { Stage } from './stage' */

const rate = 1000;
const seconds = 60;
const bars = { p99Ms: 10, errors: 0 };
const witness = { rate: 100, what: 'witness: nginx, one file, 100/s meanwhile' };
const rowsOfPage = 5; // the API's default

/** @type {Record<string, (id: number, page: number) => string>} */
const routes = {
  list: (_, page) => `/products?page=${page}&count=${rowsOfPage}`,
  product: (id) => `/products/${id}`,
  styles: (id) => `/products/${id}/styles`,
  related: (id) => `/products/${id}/related`,
};

/** @param {Stage} stage @param {number[]} ids @param {string} route @returns {string} a file of twice as many paths as are asked */
function writeRandom({ dir }, ids, route) {
  const below = createRandom(11);
  const pages = Math.ceil(ids.length / rowsOfPage);
  const paths = Array.from({ length: 2 * rate * seconds }, () =>
    routes[route](ids[below(ids.length)], 1 + below(pages)),
  );
  const file = path.join(dir, `steady-${route}.paths`);
  fs.writeFileSync(file, `${paths.join('\n')}\n`);
  return file;
}

/**
 * An nginx with one file, asked beside each route: what the machine itself does to a request at that time, on cores that the
 * service keeps as busy and of which the host takes as much.
 * @param {Stage} stage
 */
async function startWitness({ dir }) {
  const files = path.join(dir, 'witness');
  fs.mkdirSync(files, { recursive: true });
  fs.writeFileSync(path.join(files, 'file.json'), '{}');
  const paths = path.join(dir, 'witness.paths');
  fs.writeFileSync(paths, '/file.json\n');
  return new Side('witness', await startStaticNginx({ dir, files }), paths);
}

/**
 * Each route at 1,000 requests a second for a minute, over the whole catalog evenly, which no cache helps. The same as
 * `npm run k6 -- ladder --rates 1000`, but by a generator that takes a tenth of k6's processor time: on the machine of
 * the service k6's own share is most of what k6 sees above 10 ms.
 * @param {{ products: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function steady({ products, say }) {
  const stage = await openStage(products);
  const ids = await idsOf(stage);
  const { front } = await startOurs(stage);
  const beside = await startWitness(stage);
  /** @type {import('./bars').Part} */
  const part = { name: 'steady', rows: [], bars: [] };
  for (const route of Object.keys(routes)) {
    const paths = writeRandom(stage, ids, route);
    // PostgreSQL has just started and reads its buffers back meanwhile.
    if (hasWrk()) await wrk({ port: front.port, paths, seconds: 20, cpu: '0,1' });
    say(`steady: ${route}, ${rate}/s for ${seconds} s`);
    const [{ p99Ms, errors }, seen] = await Promise.all([
      new Side(route, front, paths).load(rate, seconds),
      beside.load(witness.rate, seconds),
    ]);
    part.rows.push(
      { route, what: `${rate}/s for ${seconds} s`, rps: rate, p99Ms, errors },
      { route, what: witness.what, rps: witness.rate, p99Ms: seen.p99Ms, errors: seen.errors },
    );
    part.bars.push(
      { what: `p99 ms at ${rate}/s`, route, atMost: bars.p99Ms, is: p99Ms },
      { what: `errors at ${rate}/s`, route, atMost: bars.errors, is: errors },
    );
  }
  return part;
}

module.exports = { steady };
