'use strict';

const { createHash, hash } = require('node:crypto');

const { isBody, toBody, toBytes } = require('./body');

/** @typedef {import('./body').Body} Body */

/**
 * The cost of an entry beside its bytes: the object, its key in the LRU and what its reader has prepared.
 * Measured on Node 24 with 20,000 entries: 1.0 KB of heap, and 2.0 KB resident with what the allocators round up.
 */
const OVERHEAD_BYTES = 2000;

/** In an annotation: what follows is not of the content, so validators do not cover it. */
const ASIDE = '\u001f';

/** 22 characters of base64url are 132 bits: no two bodies share a digest by accident. */
const DIGEST_LENGTH = 22;

/** One reply body, ready to be sent, and what is computed from it once. */
class Entry {
  /**
   * @param {string} key what it is cached under
   * @param {Buffer} bytes of the body; may be a slice of something larger
   * @param {object} [more]
   * @param {string} [more.annotation] text that the reader needs beside the body; the digest covers it up to ASIDE
   * @param {string} [more.type] media type, '' for that of most
   * @param {string} [more.digest] when the caller has just computed it
   * @param {number} [more.longRows] rows of a long list, which counts while it is sent; 0 for all others
   */
  constructor(key, bytes, { annotation = '', type = '', digest, longRows = 0 } = {}) {
    this.key = key;
    this.body = toBody(bytes);
    this.annotation = annotation;
    this.type = type;
    this.digest = digest ?? digestOf(annotation.split(ASIDE, 1)[0], bytes);
    /** @type {Body | Promise<Body> | null} the compressed body, made at its first use */
    this.gzip = null;
    /** @type {any} what the reader computes from it once and keeps here (http/headers.js); counted in OVERHEAD_BYTES */
    this.prepared = null;
    this.longRows = longRows;
  }

  /** The body, for what is made of it. */
  get bytes() {
    return toBytes(this.body);
  }

  /** Bytes this entry keeps in memory. */
  get size() {
    const gzipBytes = isBody(this.gzip) ? this.gzip.length : 0;
    return OVERHEAD_BYTES + this.body.length + gzipBytes + this.annotation.length;
  }
}

/**
 * Digest of all that a validator must cover: a page whose annotation changed is another representation.
 * SHA-256 because OpenSSL uses the CPU's instructions for it: 1.6 µs for 2.5 KB, half of MD5.
 * @param {string} annotation
 * @param {Body} body
 */
function digestOf(annotation, body) {
  const digest = annotation
    ? createHash('sha256').update(annotation).update('\n').update(toBytes(body)).digest('base64url')
    : hash('sha256', toBytes(body), 'base64url');
  return digest.slice(0, DIGEST_LENGTH);
}

exports.ASIDE = ASIDE;
exports.Entry = Entry;
exports.digestOf = digestOf;
exports.DIGEST_LENGTH = DIGEST_LENGTH;
