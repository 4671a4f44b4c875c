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

exports.Lru = Lru;
