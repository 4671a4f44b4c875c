'use strict';

/**
 * The 32-bit finalizer of murmur3: gives neighbouring integers unrelated values.
 * @param {number} value
 * @returns {number} 0 … 2^32-1
 */
function mix(value) {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * A number that depends only on its arguments, for decisions that are taken more than once.
 * @param {number} seed @param {number} index
 * @returns {number} 0 … 2^32-1
 */
function hash(seed, index) {
  return mix(mix(seed + 0x9e3779b9) ^ Math.imul(index + 1, 0x27d4eb2f));
}

/**
 * sfc32 (Chris Doty-Humphrey, PractRand): only integer arithmetic, so the same on every machine.
 * @param {number} seed
 * @returns {(bound: number) => number} an integer 0 … bound-1
 */
function createRandom(seed) {
  let a = mix(seed);
  let b = mix(seed + 0x9e3779b9);
  let c = 0x5851f42d;
  let counter = 1;
  /** @param {number} bound */
  function below(bound) {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return Math.floor(((sum >>> 0) / 4294967296) * bound);
  }
  for (let warmUp = 0; warmUp < 12; warmUp += 1) below(1);
  return below;
}

/**
 * @param {number[]} perMille how many of a thousand get 0, 1, 2 …; the sum is 1000
 * @returns {Uint8Array} a thousand entries
 */
function distribution(perMille) {
  const table = new Uint8Array(1000);
  let from = 0;
  perMille.forEach((share, value) => {
    table.fill(value, from, from + share);
    from += share;
  });
  if (from !== 1000) throw new Error(`a distribution must sum to 1000, not ${from}`);
  return table;
}

/**
 * Zipf's law in whole numbers, so the same on every machine: rank r comes about 1/r times as often as rank 1. Each octave of ranks
 * (1, 2 to 3, 4 to 7 …) is as frequent as the others.
 * @param {(bound: number) => number} random @param {number} octaves
 * @returns {number} a rank from 1 to 2 ** octaves - 1
 */
function zipfRank(random, octaves) {
  const first = 1 << random(octaves);
  return first + random(first);
}

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

module.exports = { createRandom, distribution, hash, shuffled, zipfRank };
