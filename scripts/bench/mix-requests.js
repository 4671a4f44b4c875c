'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRandom } = require('../generate/random');
const { shuffled } = require('../lib/shuffled');
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
 * @param {number} [count]
 * @returns {string[]}
 */
function mixPaths(ids, count = requestCount) {
  const below = createRandom(7);
  const rank = zipf(ids.length, below);
  const page = zipf(Math.ceil(ids.length / rowsOfPage), below);
  const scattered = shuffled(ids, below); // rank → id, the same in every run
  const tenth = Math.ceil(ids.length / 10);
  const anyId = () => (below(10) === 0 ? ids[ids.length - 1 - below(tenth)] : scattered[rank() - 1]);
  return Array.from({ length: count }, () => {
    const turn = turns[below(turns.length)];
    if (turn === 'list') return `/products?page=${page()}&count=${rowsOfPage}`;
    return `/products/${anyId()}${turn === 'product' ? '' : `/${turn}`}`;
  });
}

/**
 * @param {import('./stage').Stage} stage @param {number[]} ids
 * @returns {string} a file, one path a line
 */
function writeMix({ dir }, ids) {
  const file = path.join(dir, 'mix.paths');
  fs.writeFileSync(file, `${mixPaths(ids).join('\n')}\n`);
  return file;
}

module.exports = { mixPaths, writeMix };
