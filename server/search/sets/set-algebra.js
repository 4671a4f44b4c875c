'use strict';

const { addPositions, andInto, countBits, orInto, readPositions, removeFrom, removePositions } = require('./bits');
const { PositionSet, keep } = require('./position-set');
const { mergeInto } = require('./sorted');

/** @typedef {{ size: number, take: () => Int32Array }} Memory arrays to write into, of as many words as dense bits have */

/** @param {Memory} memory @param {Int32Array} bits @returns {PositionSet} dense, or positions when there are few */
function settle(memory, bits) {
  const count = countBits(bits);
  if (!PositionSet.isSparse(memory.size, count)) return new PositionSet(memory.size, count, { bits });
  const positions = memory.take().subarray(0, count);
  readPositions(bits, 0, positions);
  return new PositionSet(memory.size, count, { positions });
}

/** What all sets have; sets that have everything cost nothing. @param {Memory} memory @param {PositionSet[]} sets at least one */
function intersect(memory, sets) {
  const [first, ...others] = sets.filter((set) => !set.isAll).sort((a, b) => a.count - b.count);
  if (!first) return sets[0];
  if (others.length === 0) return first;
  const out = memory.take();
  if (first.positions) {
    let positions = first.positions;
    for (const other of others) positions = out.subarray(0, keep(positions, other, 1, out));
    return new PositionSet(memory.size, positions.length, { positions });
  }
  out.set(/** @type {Int32Array} */ (first.bits));
  for (const { bits } of others) andInto(out, /** @type {Int32Array} */ (bits));
  return settle(memory, out);
}

/** What one of them has. @param {Memory} memory @param {PositionSet[]} sets */
function unite(memory, sets) {
  const some = sets.filter(({ count }) => count > 0);
  if (some.length === 0) return PositionSet.empty(memory.size);
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

/** Unites sets of so few products that a pass over all bits would take longer. @param {Memory} memory @param {PositionSet[]} sets @param {Int32Array} array */
function merge(memory, sets, array) {
  let [out, spare] = [array, memory.take()];
  /** @type {Int32Array} */
  let positions = new Int32Array(0);
  for (const set of sets) {
    const others = set.positions ?? set.slice(0, set.count);
    positions = out.subarray(0, mergeInto(out, positions, others));
    [out, spare] = [spare, out];
  }
  return new PositionSet(memory.size, positions.length, { positions });
}

/** @param {Int32Array} out bits that get what a set has @param {PositionSet} set */
function addTo(out, { bits, positions }) {
  if (bits) orInto(out, bits);
  else addPositions(out, /** @type {Int32Array} */ (positions));
}

/** What `set` has and `other` has not. @param {Memory} memory @param {PositionSet} set @param {PositionSet} other */
function subtract(memory, set, other) {
  if (other.count === 0 || set.count === 0) return set;
  const out = memory.take();
  if (set.positions) {
    const positions = out.subarray(0, keep(set.positions, other, 0, out));
    return new PositionSet(memory.size, positions.length, { positions });
  }
  out.set(/** @type {Int32Array} */ (set.bits));
  if (other.bits) removeFrom(out, other.bits);
  else removePositions(out, /** @type {Int32Array} */ (other.positions));
  return settle(memory, out);
}

exports.settle = settle;
exports.intersect = intersect;
exports.unite = unite;
exports.addTo = addTo;
exports.subtract = subtract;
