'use strict';

const { Doorkeeper } = require('./doorkeeper');
const { Lru } = require('./lru');

/** Share of the bytes for entries that were requested once. */
const RECENT_SHARE = 1 / 16;
/**
 * And at most that many of them. The young generation (4 MB) is collected about every 80 cold replies. Entries that survive two
 * collections move to the old one, which then fills with entries that are not read again and needs full collections.
 */
const RECENT_COUNT = 32;

/** @typedef {import('./entry').Entry} Entry */

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

exports.L1 = L1;
