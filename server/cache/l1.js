'use strict';

const { LRUCache } = require('lru-cache');

/** No single entry may take more than this share: one long page must not empty the cache. */
const MAX_ENTRY_SHARE = 1 / 8;

/** @typedef {import('./entry').Entry} Entry */

/** Entries in the process, bounded in bytes; the least recently used leave first. */
class Lru {
  #entries;

  /** @param {number} maxBytes @param {number} [maxCount] of entries; 0: as many as fit */
  constructor(maxBytes, maxCount = 0) {
    /** @type {LRUCache<string, Entry>} */
    this.#entries = new LRUCache({
      max: maxCount,
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes * MAX_ENTRY_SHARE),
      sizeCalculation: (entry, key) => entry.size + key.length,
    });
  }

  /** @param {string} key @returns {Entry | undefined} */
  get(key) {
    return this.#entries.get(key);
  }

  /** Removes an entry and returns it. @param {string} key @returns {Entry | undefined} */
  take(key) {
    const entry = this.#entries.peek(key);
    if (entry) this.#entries.delete(key);
    return entry;
  }

  /** An entry that is too long is not kept. @param {Entry} entry */
  set(entry) {
    this.#entries.set(entry.key, entry);
  }

  /** Counts an entry again that has grown. @param {Entry} entry */
  resize(entry) {
    if (this.#entries.peek(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
  }

  clear() {
    this.#entries.clear();
  }

  get bytes() {
    return this.#entries.calculatedSize;
  }

  get count() {
    return this.#entries.size;
  }
}

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

/** Share of the bytes for entries that were requested once. */
const RECENT_SHARE = 1 / 16;
/**
 * And at most that many of them. The young generation (4 MB) is collected about every 80 cold replies. Entries that survive two
 * collections move to the old one, which then fills with entries that are not read again and needs full collections.
 */
const RECENT_COUNT = 32;

/**
 * L1: entries in the process. `#held` is for keys seen twice. `#recent` keeps entries seen once for a moment: of a thousand
 * requests at once the last arrive when the first fill has already ended, and each of them would begin another.
 */
class L1 {
  #held;
  #recent;
  #doorkeeper = new Doorkeeper();
  /** Reads that it answered, and their bytes. */
  reads = 0;
  readBytes = 0;

  /** @param {number} maxBytes */
  constructor(maxBytes) {
    this.#recent = new Lru(Math.floor(maxBytes * RECENT_SHARE), RECENT_COUNT);
    this.#held = new Lru(Math.floor(maxBytes * (1 - RECENT_SHARE)));
  }

  /** @param {string} key @returns {Entry | undefined} */
  get(key) {
    const entry = this.#held.get(key) ?? this.#seenAgain(key);
    if (entry) {
      this.reads += 1;
      this.readBytes += entry.body.length;
    }
    return entry;
  }

  /** @param {Entry} entry @returns {boolean} whether its key was requested before */
  set(entry) {
    const again = this.#doorkeeper.seenBefore(entry.key);
    (again ? this.#held : this.#recent).set(entry);
    return again;
  }

  /** Counts an entry again that has grown. @param {Entry} entry */
  resize(entry) {
    this.#held.resize(entry);
    this.#recent.resize(entry);
  }

  clear() {
    this.#held.clear();
    this.#recent.clear();
  }

  get bytes() {
    return this.#held.bytes + this.#recent.bytes;
  }

  get count() {
    return this.#held.count + this.#recent.count;
  }

  /** @param {string} key */
  #seenAgain(key) {
    const entry = this.#recent.take(key);
    if (entry) this.#held.set(entry);
    return entry;
  }
}

exports.Doorkeeper = Doorkeeper;
exports.L1 = L1;
exports.Lru = Lru;
