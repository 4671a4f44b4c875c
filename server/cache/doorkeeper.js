'use strict';

/** 256 KB; at 15,000 misses a second a key is remembered for about four seconds. A power of two. */
const SLOTS = 65536;

/**
 * Lets a key into L1 only at its second request. Most keys of a wide catalog are requested once. Kept, each would push out one
 * that is in use, and its memory would return only in a full collection.
 * From: Einziger, Friedman, Manes, "TinyLFU: A Highly Efficient Cache Admission Policy" (2017), §3.4.2;
 * here one table of hashes, where a newer key takes the place of an older one, instead of a Bloom filter.
 */
class Doorkeeper {
  #seen = new Int32Array(SLOTS);

  /** @param {string} key @returns {boolean} whether it was seen recently; from now on it is */
  seenBefore(key) {
    const hash = fnv1a(key);
    const slot = hash & (SLOTS - 1);
    if (this.#seen[slot] === hash) return true;
    this.#seen[slot] = hash;
    return false;
  }
}

/** FNV-1a, 32 bits (draft-eastlake-fnv). @param {string} text */
function fnv1a(text) {
  let hash = 0x811c9dc5 | 0;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

exports.Doorkeeper = Doorkeeper;
