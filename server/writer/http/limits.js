'use strict';

const { overloaded } = require('../../core/errors');
const { tooManyRequests } = require('../errors');

/** Something that requests take and give back: places of writes, or bytes of bodies. A key has at most half of it, so it cannot keep out the others. */
class Share {
  #most;
  #mostOfKey;
  #what;
  #taken = 0;
  /** @type {Map<string, number>} by id of the key */
  #byKey = new Map();

  /** @param {number} most @param {string} what is taken, for the problem */
  constructor(most, what) {
    this.#most = most;
    this.#mostOfKey = Math.ceil(most / 2);
    this.#what = what;
  }

  /** @param {string} keyId @param {number} amount @throws {import('../../core/errors').Problem} 429, 503 */
  take(keyId, amount) {
    const own = (this.#byKey.get(keyId) ?? 0) + amount;
    if (this.#taken + amount > this.#most) throw overloaded(`Too many ${this.#what} are waiting.`);
    if (own > this.#mostOfKey) throw tooManyRequests(`Too many ${this.#what} of this key are waiting.`, 1);
    this.#taken += amount;
    this.#byKey.set(keyId, own);
  }

  /** @template T @param {string} keyId @param {number} amount @param {() => Promise<T>} work @returns {Promise<T>} */
  async hold(keyId, amount, work) {
    this.take(keyId, amount);
    try {
      return await work();
    } finally {
      this.free(keyId, amount);
    }
  }

  /** @param {string} keyId @param {number} amount */
  free(keyId, amount) {
    const own = /** @type {number} */ (this.#byKey.get(keyId)) - amount;
    this.#taken -= amount;
    if (own > 0) this.#byKey.set(keyId, own);
    else this.#byKey.delete(keyId);
  }
}

/** A token bucket for each key, with as much as it may do in a second. */
class Rate {
  #perSecond;
  /** @type {Map<string, { left: number, atMs: number }>} by id of the key */
  #buckets = new Map();

  /** @param {number} perSecond */
  constructor(perSecond) {
    this.#perSecond = perSecond;
  }

  /**
   * Takes what a key does next. What is left may become negative, so that a large amount needs no large bucket.
   * @param {string} keyId @param {number} [amount]
   * @returns {number} 0, or the milliseconds to wait before the key may do anything: then nothing was taken
   */
  take(keyId, amount = 1) {
    const nowMs = performance.now();
    const { left, atMs } = this.#buckets.get(keyId) ?? { left: this.#perSecond, atMs: nowMs };
    const now = Math.min(this.#perSecond, left + ((nowMs - atMs) * this.#perSecond) / 1000);
    this.#buckets.set(keyId, { left: now > 0 ? now - amount : now, atMs: nowMs });
    return now > 0 ? 0 : Math.ceil(((1 - now) * 1000) / this.#perSecond);
  }
}

/** A key may leave 120,000 answers of a bulk unread. */
const ANSWER_BYTES = 32 * 2 ** 20;

/** Makes what the writes of all keys share. @param {Pick<import('../../config/config').WriterConfig, 'WRITE_QUEUE' | 'WRITE_QUEUE_BYTES' | 'WRITE_RATE'>} config */
const createLimits = ({ WRITE_QUEUE, WRITE_QUEUE_BYTES, WRITE_RATE }) => ({
  writes: new Share(WRITE_QUEUE, 'writes'),
  bytes: new Share(WRITE_QUEUE_BYTES, 'bytes of bodies'),
  answers: new Share(ANSWER_BYTES, 'bytes of answers'),
  rate: new Rate(WRITE_RATE),
});

/** @typedef {ReturnType<typeof createLimits>} Limits */

/**
 * Does what a key wants to write, if it may do one more.
 * @template T
 * @param {import('../routes').Parts} parts @param {import('node:http').IncomingMessage} req
 * @param {(key: import('./api-keys').ApiKey) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {import('../../core/errors').Problem} 401, 403, 429, 503
 */
async function asWrite({ keys, limits: { writes, rate } }, req, work) {
  const key = await keys.require(req, 'content');
  const waitMs = rate.take(key.id);
  if (waitMs > 0) throw tooManyRequests('The key writes too often.', Math.ceil(waitMs / 1000));
  return writes.hold(key.id, 1, () => work(key));
}

exports.Rate = Rate;
exports.Share = Share;
exports.asWrite = asWrite;
exports.createLimits = createLimits;
