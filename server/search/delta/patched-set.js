'use strict';

const { addPositions, wordsFor } = require('../sets/bits');
const { PositionSet } = require('../sets/position-set');
const { settle } = require('../sets/set-algebra');

/** @typedef {import('../sets/set-algebra').Memory} Memory */

/**
 * A set in which some products are, or are not, whatever it has of them.
 * @param {Memory} memory @param {PositionSet} set
 * @param {ArrayLike<number>} changes in order: twice the position, and 1 when the product is in it
 */
function patchedSet(memory, set, changes) {
  if (set.positions && set.count + changes.length <= wordsFor(memory.size))
    return merged(memory, set.positions, changes);
  const bits = memory.take();
  if (set.bits) bits.set(set.bits);
  else addPositions(bits.fill(0), /** @type {Int32Array} */ (set.positions));
  for (let at = 0; at < changes.length; at += 1) {
    const position = changes[at] >>> 1;
    const bit = 1 << (position & 31);
    if (changes[at] & 1) bits[position >>> 5] |= bit;
    else bits[position >>> 5] &= ~bit;
  }
  return settle(memory, bits);
}

/** @param {Memory} memory @param {Int32Array} positions @param {ArrayLike<number>} changes */
function merged(memory, positions, changes) {
  const out = memory.take();
  let written = 0;
  let next = 0;
  for (let at = 0; at < changes.length; at += 1) {
    const position = changes[at] >>> 1;
    while (next < positions.length && positions[next] < position) out[written++] = positions[next++];
    if (positions[next] === position) next += 1;
    if (changes[at] & 1) out[written++] = position;
  }
  while (next < positions.length) out[written++] = positions[next++];
  const found = out.subarray(0, written);
  if (PositionSet.isSparse(memory.size, written)) return new PositionSet(memory.size, written, { positions: found });
  const bits = memory.take().fill(0);
  addPositions(bits, found);
  return new PositionSet(memory.size, written, { bits });
}

exports.patchedSet = patchedSet;
