'use strict';

const { addOrdinals, wordsFor } = require('../sets/bits');
const { OrdinalSet } = require('../sets/ordinal-set');
const { settle } = require('../sets/set-algebra');

/** @typedef {import('../sets/set-algebra').Memory} Memory */

/**
 * A set in which some products are, or are not, whatever it has of them.
 * @param {Memory} memory @param {OrdinalSet} set
 * @param {ArrayLike<number>} changes in order: twice the ordinal, and 1 when the product is in it
 */
function changedSet(memory, set, changes) {
  if (set.ordinals && set.count + changes.length <= wordsFor(memory.size)) return merged(memory, set.ordinals, changes);
  const bits = memory.take();
  if (set.bits) bits.set(set.bits);
  else addOrdinals(bits.fill(0), /** @type {Int32Array} */ (set.ordinals));
  for (let at = 0; at < changes.length; at += 1) {
    const ordinal = changes[at] >>> 1;
    const bit = 1 << (ordinal & 31);
    if (changes[at] & 1) bits[ordinal >>> 5] |= bit;
    else bits[ordinal >>> 5] &= ~bit;
  }
  return settle(memory, bits);
}

/** @param {Memory} memory @param {Int32Array} ordinals @param {ArrayLike<number>} changes */
function merged(memory, ordinals, changes) {
  const out = memory.take();
  let written = 0;
  let next = 0;
  for (let at = 0; at < changes.length; at += 1) {
    const ordinal = changes[at] >>> 1;
    while (next < ordinals.length && ordinals[next] < ordinal) out[written++] = ordinals[next++];
    if (ordinals[next] === ordinal) next += 1;
    if (changes[at] & 1) out[written++] = ordinal;
  }
  while (next < ordinals.length) out[written++] = ordinals[next++];
  const found = out.subarray(0, written);
  if (OrdinalSet.isSparse(memory.size, written)) return new OrdinalSet(memory.size, written, { ordinals: found });
  const bits = memory.take().fill(0);
  addOrdinals(bits, found);
  return new OrdinalSet(memory.size, written, { bits });
}

exports.changedSet = changedSet;
