'use strict';

const { addOrdinals, andInto, countBits, orInto, readOrdinals, removeFrom, removeOrdinals } = require('./bits');
const { OrdinalSet, keep } = require('./ordinal-set');
const { mergeInto } = require('./sorted');

/** @typedef {{ size: number, take: () => Int32Array }} Memory arrays to write into, of as many words as dense bits have */

/** @param {Memory} memory @param {Int32Array} bits @returns {OrdinalSet} dense, or ordinals when there are few */
function settle(memory, bits) {
  const count = countBits(bits);
  if (!OrdinalSet.isSparse(memory.size, count)) return new OrdinalSet(memory.size, count, { bits });
  const ordinals = memory.take().subarray(0, count);
  readOrdinals(bits, 0, ordinals);
  return new OrdinalSet(memory.size, count, { ordinals });
}

/** @param {Memory} memory @param {ArrayLike<number>} ordinals in any order @returns {OrdinalSet} */
function setOf(memory, ordinals) {
  const bits = memory.take().fill(0);
  addOrdinals(bits, Int32Array.from(ordinals));
  return settle(memory, bits);
}

/** Members of all sets; sets that have everything cost nothing. @param {Memory} memory @param {OrdinalSet[]} sets at least one */
function intersect(memory, sets) {
  const [first, ...others] = sets.filter((set) => !set.isAll).sort((a, b) => a.count - b.count);
  if (!first) return sets[0];
  if (others.length === 0) return first;
  const out = memory.take();
  if (first.ordinals) {
    let ordinals = first.ordinals;
    for (const other of others) ordinals = out.subarray(0, keep(ordinals, other, 1, out));
    return new OrdinalSet(memory.size, ordinals.length, { ordinals });
  }
  out.set(/** @type {Int32Array} */ (first.bits));
  for (const { bits } of others) andInto(out, /** @type {Int32Array} */ (bits));
  return settle(memory, out);
}

/** Members of at least one of them. @param {Memory} memory @param {OrdinalSet[]} sets */
function unite(memory, sets) {
  const some = sets.filter(({ count }) => count > 0);
  if (some.length === 0) return OrdinalSet.empty(memory.size);
  if (some.length === 1) return some[0];
  const whole = some.find((set) => set.isAll);
  if (whole) return whole;
  const products = some.reduce((sum, { count }) => sum + count, 0);
  const out = memory.take();
  if (products * some.length <= out.length) return merge(memory, some, out);
  out.fill(0);
  for (const set of some) addTo(out, set);
  return settle(memory, out);
}

/** Unites sets of so few products that a pass over all bits would take longer. @param {Memory} memory @param {OrdinalSet[]} sets @param {Int32Array} array */
function merge(memory, sets, array) {
  let [out, spare] = [array, memory.take()];
  /** @type {Int32Array} */
  let ordinals = new Int32Array(0);
  for (const set of sets) {
    const others = set.ordinals ?? set.slice(0, set.count);
    ordinals = out.subarray(0, mergeInto(out, ordinals, others));
    [out, spare] = [spare, out];
  }
  return new OrdinalSet(memory.size, ordinals.length, { ordinals });
}

/** @param {Int32Array} out bits that get what a set has @param {OrdinalSet} set */
function addTo(out, { bits, ordinals }) {
  if (bits) orInto(out, bits);
  else addOrdinals(out, /** @type {Int32Array} */ (ordinals));
}

/** Members of `set` that `other` has not. @param {Memory} memory @param {OrdinalSet} set @param {OrdinalSet} other */
function subtract(memory, set, other) {
  if (other.count === 0 || set.count === 0) return set;
  const out = memory.take();
  if (set.ordinals) {
    const ordinals = out.subarray(0, keep(set.ordinals, other, 0, out));
    return new OrdinalSet(memory.size, ordinals.length, { ordinals });
  }
  out.set(/** @type {Int32Array} */ (set.bits));
  if (other.bits) removeFrom(out, other.bits);
  else removeOrdinals(out, /** @type {Int32Array} */ (other.ordinals));
  return settle(memory, out);
}

exports.settle = settle;
exports.setOf = setOf;
exports.intersect = intersect;
exports.unite = unite;
exports.addTo = addTo;
exports.subtract = subtract;
