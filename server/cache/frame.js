'use strict';

const { ASIDE, Entry, digestOf, DIGEST_LENGTH } = require('./entry');

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

exports.beginsAsOwn = beginsAsOwn;
exports.pack = pack;
exports.unpack = unpack;
