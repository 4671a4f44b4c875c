'use strict';

/**
 * Fisher and Yates.
 * @template T
 * @param {readonly T[]} values
 * @param {(bound: number) => number} below an integer 0 … bound-1 of chance; seeded, the order is the same in every run
 * @returns {T[]} the same in an order of chance
 */
function shuffled(values, below) {
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
  }
  return mixed;
}

module.exports = { shuffled };
