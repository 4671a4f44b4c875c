'use strict';

const { addOrdinals } = require('../sets/bits');
const { settle } = require('../sets/set-algebra');

/** @typedef {import('../sets/ordinal-set').OrdinalSet} OrdinalSet */
/** @typedef {import('../sets/set-algebra').Memory} Memory */

/**
 * Finds the products that are in the most sets. Words of bits are counted 32 products at once: four planes hold the binary
 * digits of their counts, enough for 15 sets.
 * @param {Memory} memory @param {OrdinalSet[]} sets at most 15 @param {OrdinalSet} filter only these products count
 * @returns {{ most: number, products: OrdinalSet }} the largest count, and who has it
 */
function countWords(memory, sets, filter) {
  const rows = sets.map((set) => denseBits(memory, set));
  const allowed = denseBits(memory, filter);
  const out = memory.take();
  let most = 0;
  for (let i = 0; i < out.length; i += 1) {
    let ones = 0;
    let twos = 0;
    let fours = 0;
    let eights = 0;
    for (let row = 0; row < rows.length; row += 1) {
      const one = rows[row][i];
      const two = ones & one;
      const four = twos & two;
      eights ^= fours & four;
      fours ^= four;
      twos ^= two;
      ones ^= one;
    }
    let best = allowed[i];
    let count = 0;
    for (const [plane, weight] of /** @type {const} */ ([
      [eights, 8],
      [fours, 4],
      [twos, 2],
      [ones, 1],
    ])) {
      // prettier-ignore
      if ((best & plane) === 0) continue;
      best &= plane;
      count += weight;
    }
    if (count > most) {
      most = count;
      out.fill(0, 0, i);
    }
    out[i] = count === most ? best : 0;
  }
  return { most, products: settle(memory, out) };
}

/** @param {Memory} memory @param {OrdinalSet} set @returns {Int32Array} */
function denseBits(memory, { bits, ordinals }) {
  if (bits) return bits;
  const out = memory.take().fill(0);
  addOrdinals(out, /** @type {Int32Array} */ (ordinals));
  return out;
}

exports.countWords = countWords;
