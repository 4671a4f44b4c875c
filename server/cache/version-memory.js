'use strict';

const KEY = 'data-version';
const TTL_MS = 30 * 24 * 3600 * 1000;
const MAX_BYTES = 100;

/** The data version as Redis knows it, for a worker that starts while PostgreSQL is away. */
class VersionMemory {
  #redis;

  /** @param {Pick<import('./redis').RedisBytes, 'get' | 'set'> | null} redis */
  constructor(redis) {
    this.#redis = redis;
  }

  /** @param {string} version */
  remember(version) {
    this.#redis?.set(KEY, version, TTL_MS);
  }

  /** @returns {Promise<string | null>} */
  async recall() {
    const found = await this.#redis?.get(KEY, MAX_BYTES);
    return found?.length ? String(found) : null;
  }
}

exports.VersionMemory = VersionMemory;
