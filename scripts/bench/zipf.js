'use strict';

const steps = 2 ** 32;
/** As in YCSB (Cooper et al., 2010). Not 1, by which the inverted integral would divide by 0. */
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

module.exports = { zipf };
