'use strict';

/** A search gives up below this share of where it began. */
const hopeless = 0.01;
const growth = 1.5;

/**
 * The highest rate that passes: upwards by half as much again until one fails, then by halving the gap.
 * @param {(rate: number) => Promise<boolean>} passes
 * @param {{ from: number, precision?: number }} options `precision`: the gap that is small enough, as a share
 * @returns {Promise<number>} 0 when nothing passes
 */
async function highestRate(passes, { from, precision = 0.05 }) {
  let passed = 0;
  let failed = from;
  while (await passes(failed)) {
    passed = failed;
    failed = Math.round(failed * growth);
  }
  while (failed - passed > precision * failed && failed > from * hopeless) {
    const middle = Math.round((passed + failed) / 2);
    if (await passes(middle)) passed = middle;
    else failed = middle;
  }
  return passed;
}

module.exports = { highestRate };
