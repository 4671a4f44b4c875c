'use strict';

/** Loops over dense bits: one bit an ordinal, in 32-bit words. All arrays of one index have the same length. */

/** @param {number} ordinals @returns {number} words that hold them */
const wordsFor = (ordinals) => (ordinals + 31) >>> 5;

/** @param {number} word @returns {number} how many of its bits are set */
function popcount(word) {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** @param {Int32Array} a @param {number} from first word @param {number} to behind the last word */
function countBits(a, from = 0, to = a.length) {
  let count = 0;
  for (let i = from; i < to; i += 1) count += popcount(a[i]);
  return count;
}

/** How many bits are set in both. @param {Int32Array} a @param {Int32Array} b */
function countBoth(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 1) count += popcount(a[i] & b[i]);
  return count;
}

/** @param {Int32Array} a @param {Int32Array} b @returns {boolean} whether a bit is set in both */
function haveCommon(a, b) {
  for (let i = 0; i < a.length; i += 1) if ((a[i] & b[i]) !== 0) return true;
  return false;
}

/** @param {Int32Array} out keeps what `a` has, too @param {Int32Array} a */
function andInto(out, a) {
  for (let i = 0; i < out.length; i += 1) out[i] &= a[i];
}

/** @param {Int32Array} out loses what `a` has @param {Int32Array} a */
function removeFrom(out, a) {
  for (let i = 0; i < out.length; i += 1) out[i] &= ~a[i];
}

/** @param {Int32Array} out gets what `a` has @param {Int32Array} a */
function orInto(out, a) {
  for (let i = 0; i < out.length; i += 1) out[i] |= a[i];
}

/** @param {Int32Array} out @param {ArrayLike<number>} ordinals @param {number} from @param {number} to behind the last */
function addOrdinals(out, ordinals, from = 0, to = ordinals.length) {
  for (let i = from; i < to; i += 1) out[ordinals[i] >>> 5] |= 1 << (ordinals[i] & 31);
}

/** @param {Int32Array} out @param {ArrayLike<number>} ordinals @param {number} from @param {number} to behind the last */
function removeOrdinals(out, ordinals, from = 0, to = ordinals.length) {
  for (let i = from; i < to; i += 1) out[ordinals[i] >>> 5] &= ~(1 << (ordinals[i] & 31));
}

/** @param {Int32Array} bits @param {number} ordinal @returns {number} 0 or 1 */
const bitAt = (bits, ordinal) => (bits[ordinal >>> 5] >>> (ordinal & 31)) & 1;

/**
 * The ordinals of set bits in order, into `out` until it is full.
 * @param {Int32Array} bits @param {number} skip set bits before the first @param {Int32Array} out
 * @returns {number} how many were written
 */
function readOrdinals(bits, skip, out) {
  let word = 0;
  let left = skip;
  for (; word < bits.length; word += 1) {
    const count = popcount(bits[word]);
    if (count > left) break;
    left -= count;
  }
  let written = 0;
  for (; word < bits.length && written < out.length; word += 1) {
    let rest = bits[word];
    for (; rest !== 0 && left > 0; left -= 1) rest &= rest - 1;
    for (; rest !== 0 && written < out.length; rest &= rest - 1) {
      out[written++] = word * 32 + 31 - Math.clz32(rest & -rest);
    }
  }
  return written;
}

exports.wordsFor = wordsFor;
exports.countBits = countBits;
exports.countBoth = countBoth;
exports.haveCommon = haveCommon;
exports.andInto = andInto;
exports.removeFrom = removeFrom;
exports.orInto = orInto;
exports.addOrdinals = addOrdinals;
exports.removeOrdinals = removeOrdinals;
exports.bitAt = bitAt;
exports.readOrdinals = readOrdinals;
