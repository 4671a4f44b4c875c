'use strict';

const { ASIDE, DIGEST_LENGTH, digestOf, Entry } = require('./entry');

/** Start of every value: its kind, and the edition of this layout. A new layout takes a new edition. */
const MAGIC = Buffer.from('catalog/1\n');
/** key bytes and annotation bytes, two bytes each */
const LENGTHS_BYTES = 4;
const FIXED_BYTES = MAGIC.length + LENGTHS_BYTES + DIGEST_LENGTH;

/**
 * A value in Redis: magic, lengths, digest of annotation and body, key, annotation, body. The key is
 * inside so that a value moved to another key is recognised; the digest, so that a cut or changed one is.
 * @param {Entry} entry
 * @returns {Buffer}
 */
function pack({ key, annotation, body, digest }) {
  const keyBytes = Buffer.byteLength(key);
  const annotationBytes = Buffer.byteLength(annotation);
  const frame = Buffer.allocUnsafe(FIXED_BYTES + keyBytes + annotationBytes + body.length);
  let at = MAGIC.copy(frame);
  at = frame.writeUInt16BE(keyBytes, at);
  at = frame.writeUInt16BE(annotationBytes, at);
  at += frame.write(annotation.includes(ASIDE) ? digestOf(annotation, body) : digest, at, 'latin1');
  at += frame.write(key, at);
  at += frame.write(annotation, at);
  if (typeof body === 'string') frame.write(body, at, 'latin1');
  else body.copy(frame, at);
  return frame;
}

/**
 * @param {string} key the key it was read from
 * @param {Buffer} frame whole or cut
 * @returns {boolean} whether it begins as pack() begins a value of this key
 */
function beginsAsOwn(key, frame) {
  if (frame.length < FIXED_BYTES || frame.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) return false;
  return frame.toString('utf8', FIXED_BYTES, FIXED_BYTES + frame.readUInt16BE(MAGIC.length)) === key;
}

/**
 * @param {string} key the key it was read from
 * @param {Buffer} frame
 * @returns {Entry | null} null for anything that pack() did not write under this key
 */
function unpack(key, frame) {
  if (!beginsAsOwn(key, frame)) return null;
  const annotationStart = FIXED_BYTES + frame.readUInt16BE(MAGIC.length);
  const bodyStart = annotationStart + frame.readUInt16BE(MAGIC.length + 2);
  if (bodyStart > frame.length) return null;
  const annotation = frame.toString('utf8', annotationStart, bodyStart);
  const body = frame.subarray(bodyStart);
  const digest = frame.toString('latin1', FIXED_BYTES - DIGEST_LENGTH, FIXED_BYTES);
  if (digestOf(annotation, body) !== digest) return null;
  return new Entry(key, body, { annotation, digest: annotation.includes(ASIDE) ? undefined : digest });
}

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
exports.pack = pack;
exports.unpack = unpack;
