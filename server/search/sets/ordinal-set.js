'use strict';

const { bitAt, countBits, haveCommon: bitsHaveCommon, readOrdinals, wordsFor } = require('./bits');
const { countBoth, counterFor } = require('./kernel');
const { countInBoth, seek } = require('./sorted');

/** Words of memory that a set of many products takes, in products: fewer products are kept as ordinals. */
const SPARSE_SHARE = 32;

/**
 * Products, as ordinals below `size` (ranks in id order): dense bits, or sorted ordinals when there are few.
 * A set is never changed.
 */
class OrdinalSet {
  /**
   * @param {number} size products of the catalog
   * @param {number} count products of the set
   * @param {{ bits: Int32Array, ordinals?: null } | { bits?: null, ordinals: Int32Array }} content
   * @param {boolean} isAll whether it has all products: of a written catalog, some ordinals have none
   */
  constructor(size, count, { bits = null, ordinals = null }, isAll = count === size) {
    this.size = size;
    this.count = count;
    this.bits = bits;
    this.ordinals = ordinals;
    this.isAll = isAll;
  }

  /** @param {number} size */
  static empty(size) {
    return new OrdinalSet(size, 0, { ordinals: new Int32Array(0) });
  }

  /** @param {number} size */
  static all(size) {
    const bits = new Int32Array(wordsFor(size)).fill(-1);
    if (size % 32 !== 0) bits[bits.length - 1] = (1 << (size % 32)) - 1;
    return new OrdinalSet(size, size, { bits });
  }

  /** @param {number} size @param {number} count @returns {boolean} whether so many products are kept as ordinals */
  static isSparse(size, count) {
    return count * SPARSE_SHARE <= size;
  }

  get bytes() {
    return /** @type {Int32Array} */ (this.bits ?? this.ordinals).byteLength;
  }

  /** @param {number} ordinal */
  has(ordinal) {
    if (this.bits) return bitAt(this.bits, ordinal) === 1;
    const ordinals = /** @type {Int32Array} */ (this.ordinals);
    return ordinals[seek(ordinals, 0, ordinal)] === ordinal;
  }

  /** How many products come before an ordinal. @param {number} ordinal */
  rank(ordinal) {
    if (this.ordinals) return seek(this.ordinals, 0, ordinal);
    const bits = /** @type {Int32Array} */ (this.bits);
    const below = ordinal & 31 ? bits[ordinal >>> 5] << (32 - (ordinal & 31)) : 0;
    return countBits(bits, 0, ordinal >>> 5) + countBits(Int32Array.of(below));
  }

  /** Some of its ordinals, in order. @param {number} offset @param {number} count @returns {Int32Array} */
  slice(offset, count) {
    if (this.ordinals) return this.ordinals.slice(offset, offset + count);
    const out = new Int32Array(Math.max(0, Math.min(count, this.count - offset)));
    readOrdinals(/** @type {Int32Array} */ (this.bits), offset, out);
    return out;
  }
}

/**
 * Writes those of sorted ordinals that are in a set, or are not.
 * @param {Int32Array} ordinals @param {OrdinalSet} set @param {0 | 1} wanted 1: those in it @param {Int32Array} out may be `ordinals`
 * @returns {number} how many
 */
function keep(ordinals, set, wanted, out) {
  let kept = 0;
  if (set.bits) {
    const { bits } = set;
    for (let i = 0; i < ordinals.length; i += 1) {
      const ordinal = ordinals[i];
      out[kept] = ordinal;
      kept += bitAt(bits, ordinal) ^ wanted ^ 1;
    }
    return kept;
  }
  const others = /** @type {Int32Array} */ (set.ordinals);
  let at = 0;
  for (let i = 0; i < ordinals.length; i += 1) {
    const ordinal = ordinals[i];
    at = seek(others, at, ordinal);
    if ((others[at] === ordinal) === (wanted === 1)) out[kept++] = ordinal;
  }
  return kept;
}

/** @param {Int32Array} ordinals @param {Int32Array} bits */
function countInBits(ordinals, bits) {
  let count = 0;
  for (let i = 0; i < ordinals.length; i += 1) count += bitAt(bits, ordinals[i]);
  return count;
}

/** How many products are in both. @param {OrdinalSet} a @param {OrdinalSet} b @returns {number} */
function countCommon(a, b) {
  if (a.isAll) return b.count;
  if (b.isAll) return a.count;
  if (a.bits && b.bits) return countBoth(a.bits, b.bits);
  const [few, other] = b.bits || (a.ordinals && a.count <= b.count) ? [a, b] : [b, a];
  const ordinals = /** @type {Int32Array} */ (few.ordinals);
  if (other.bits) return countInBits(ordinals, other.bits);
  return countInBoth(ordinals, /** @type {Int32Array} */ (other.ordinals));
}

/** @param {OrdinalSet} a @param {OrdinalSet} b @returns {boolean} whether a product is in both */
const haveCommon = (a, b) => (a.bits && b.bits ? bitsHaveCommon(a.bits, b.bits) : countCommon(a, b) > 0);

exports.OrdinalSet = OrdinalSet;
exports.keep = keep;
/**
 * Counts the products that others share with a set. Valid until other bits are counted, so use it before anything waits.
 * @param {OrdinalSet} set
 * @returns {(other: OrdinalSet) => number}
 */
function commonCounter(set) {
  if (!set.bits) return (other) => countCommon(set, other);
  const count = counterFor(set.bits);
  return (other) => (other.bits && !other.isAll ? count(other.bits) : countCommon(set, other));
}

exports.countCommon = countCommon;
exports.commonCounter = commonCounter;
exports.haveCommon = haveCommon;
