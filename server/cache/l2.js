'use strict';

const { beginsAsOwn, pack, unpack } = require('./frame');

/** Lifetimes vary by ± 10 %, so that what was filled together does not expire together. */
const TTL_JITTER = 0.1;

/** More than magic, digest, key and annotation of a value ever take. */
const FRAME_BYTES = 4096;

/** L2: entries in Redis, shared by all workers. It may cost speed, never a read. */
class L2 {
  #redis;
  #events;
  #ttlMs;
  #maxValueBytes;

  /**
   * @param {import('./redis').RedisBytes} redis
   * @param {{ ttlMs: number, maxValueBytes: number, events: import('../core/events').Events }} options
   */
  constructor(redis, { ttlMs, maxValueBytes, events }) {
    this.#redis = redis;
    this.#ttlMs = ttlMs;
    this.#maxValueBytes = maxValueBytes;
    this.#events = events;
  }

  /** @param {string} key @returns {Promise<import('./entry').Entry | null>} */
  async get(key) {
    const maxBytes = this.#maxValueBytes + FRAME_BYTES;
    const frame = await this.#redis.get(key, maxBytes);
    if (!frame?.length) return null;
    const entry = unpack(key, frame);
    if (entry) return entry;
    // A cut value that begins as ours was written while L2_MAX_VALUE_BYTES was higher: it is not corrupt.
    const outgrown = frame.length > maxBytes && beginsAsOwn(key, frame);
    if (!outgrown) this.#events.emit('corrupted', key);
    this.#redis.delete(key);
    return null;
  }

  /** Writes and does not wait for it. @param {import('./entry').Entry} entry */
  set(entry) {
    if (entry.body.length > this.#maxValueBytes) return;
    const jitter = 1 + TTL_JITTER * (2 * Math.random() - 1);
    this.#redis.set(entry.key, () => pack(entry), this.#ttlMs * jitter);
  }
}

exports.L2 = L2;
