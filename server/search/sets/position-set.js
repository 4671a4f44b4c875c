'use strict';

const { bitAt, countBits, haveCommon: bitsHaveCommon, readPositions, wordsFor } = require('./bits');
const { countBoth, counterFor } = require('./kernel');
const { countInBoth, seek } = require('./sorted');

/** Words of memory that a set of many products takes, in products: fewer products are kept as positions. */
const SPARSE_SHARE = 32;

/**
 * Products, as positions below `size` (ranks in id order): dense bits, or sorted positions when there are few.
 * A set is never changed.
 */
class PositionSet {
  /**
   * @param {number} size products of the catalog
   * @param {number} count products of the set
   * @param {{ bits: Int32Array, positions?: null } | { bits?: null, positions: Int32Array }} content
   * @param {boolean} isAll whether it has all products: of a written catalog, some positions have none
   */
  constructor(size, count, { bits = null, positions = null }, isAll = count === size) {
    this.size = size;
    this.count = count;
    this.bits = bits;
    this.positions = positions;
    this.isAll = isAll;
  }

  /** @param {number} size */
  static empty(size) {
    return new PositionSet(size, 0, { positions: new Int32Array(0) });
  }

  /** @param {number} size */
  static all(size) {
    const bits = new Int32Array(wordsFor(size)).fill(-1);
    if (size % 32 !== 0) bits[bits.length - 1] = (1 << (size % 32)) - 1;
    return new PositionSet(size, size, { bits });
  }

  /** @param {number} size @param {number} count @returns {boolean} whether so many products are kept as positions */
  static isSparse(size, count) {
    return count * SPARSE_SHARE <= size;
  }

  get bytes() {
    return /** @type {Int32Array} */ (this.bits ?? this.positions).byteLength;
  }

  /** @param {number} position */
  has(position) {
    if (this.bits) return bitAt(this.bits, position) === 1;
    const positions = /** @type {Int32Array} */ (this.positions);
    return positions[seek(positions, 0, position)] === position;
  }

  /** How many products come before a position. @param {number} position */
  rank(position) {
    if (this.positions) return seek(this.positions, 0, position);
    const bits = /** @type {Int32Array} */ (this.bits);
    const below = position & 31 ? bits[position >>> 5] << (32 - (position & 31)) : 0;
    return countBits(bits, 0, position >>> 5) + countBits(Int32Array.of(below));
  }

  /** Some of its positions, in order. @param {number} offset @param {number} count @returns {Int32Array} */
  slice(offset, count) {
    if (this.positions) return this.positions.slice(offset, offset + count);
    const out = new Int32Array(Math.max(0, Math.min(count, this.count - offset)));
    readPositions(/** @type {Int32Array} */ (this.bits), offset, out);
    return out;
  }
}

/**
 * Writes those of sorted positions that are in a set, or are not.
 * @param {Int32Array} positions @param {PositionSet} set @param {0 | 1} wanted 1: those in it @param {Int32Array} out may be `positions`
 * @returns {number} how many
 */
function keep(positions, set, wanted, out) {
  let kept = 0;
  if (set.bits) {
    const { bits } = set;
    for (let i = 0; i < positions.length; i += 1) {
      const position = positions[i];
      out[kept] = position;
      kept += bitAt(bits, position) ^ wanted ^ 1;
    }
    return kept;
  }
  const others = /** @type {Int32Array} */ (set.positions);
  let at = 0;
  for (let i = 0; i < positions.length; i += 1) {
    const position = positions[i];
    at = seek(others, at, position);
    if ((others[at] === position) === (wanted === 1)) out[kept++] = position;
  }
  return kept;
}

/** @param {Int32Array} positions @param {Int32Array} bits */
function countInBits(positions, bits) {
  let count = 0;
  for (let i = 0; i < positions.length; i += 1) count += bitAt(bits, positions[i]);
  return count;
}

/** How many products are in both. @param {PositionSet} a @param {PositionSet} b @returns {number} */
function countCommon(a, b) {
  if (a.isAll) return b.count;
  if (b.isAll) return a.count;
  if (a.bits && b.bits) return countBoth(a.bits, b.bits);
  const [few, other] = b.bits || (a.positions && a.count <= b.count) ? [a, b] : [b, a];
  const positions = /** @type {Int32Array} */ (few.positions);
  if (other.bits) return countInBits(positions, other.bits);
  return countInBoth(positions, /** @type {Int32Array} */ (other.positions));
}

/** @param {PositionSet} a @param {PositionSet} b @returns {boolean} whether a product is in both */
const haveCommon = (a, b) => (a.bits && b.bits ? bitsHaveCommon(a.bits, b.bits) : countCommon(a, b) > 0);

exports.PositionSet = PositionSet;
exports.keep = keep;
/**
 * Counts the products that others share with a set. Valid until other bits are counted, so use it before anything waits.
 * @param {PositionSet} set
 * @returns {(other: PositionSet) => number}
 */
function commonCounter(set) {
  if (!set.bits) return (other) => countCommon(set, other);
  const count = counterFor(set.bits);
  return (other) => (other.bits && !other.isAll ? count(other.bits) : countCommon(set, other));
}

exports.countCommon = countCommon;
exports.commonCounter = commonCounter;
exports.haveCommon = haveCommon;
