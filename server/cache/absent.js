'use strict';

const { LRUCache } = require('lru-cache');

/** About 200 bytes a key: 400 KB at most. Apart from L1, so that a scan of unknown ids cannot empty L1. */
const MAX_KEYS = 2000;

/** Keys known to have nothing behind them. Keys carry the data version, so a new product is never hidden. */
class Absent {
  /** @type {LRUCache<string, true>} */
  #keys = new LRUCache({ max: MAX_KEYS });

  /** @param {string} key */
  has(key) {
    return this.#keys.get(key) === true;
  }

  /** @param {string} key */
  add(key) {
    this.#keys.set(key, true);
  }
}

exports.Absent = Absent;
