'use strict';
const { createRandom } = require('../generate/random');
const { shuffled } = require('../lib/shuffled');

/** Of seven reads: what the page views of a shopper request. */
const turns = ['product', 'product', 'product', 'product', 'list', 'styles', 'related'];
const rowsOfPage = 5; // the API's default
const requestCount = 300_000;

const steps = 2 ** 32;
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
  return () => Math.min(count, Math.floor((1 + (below(steps) / steps) * whole) ** (1 / power)));
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

module.exports = { mixPaths, zipf };
