'use strict';
const { createRandom } = require('../generate/random');
const { shuffled } = require('../lib/shuffled');
const { pathsFile } = require('./dataset');
const { zipf } = require('./zipf');

/** Of seven reads: what a shopper's page views ask for. */
const turns = ['product', 'product', 'product', 'product', 'list', 'styles', 'related'];
const rowsOfPage = 5; // the API's default
const requestCount = 300_000;

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

/**
 * @param {import('./dataset').Dataset} dataset @param {number[]} ids
 * @returns {{ search: string, confirm: string }} files, one path a line
 */
function writeMix({ dir }, ids) {
  return {
    search: pathsFile(dir, 'mix-search', mixPaths(ids, { seed: 1 })),
    confirm: pathsFile(dir, 'mix-confirm', mixPaths(ids, { seed: 2 })),
  };
}

module.exports = { mixPaths, writeMix };
