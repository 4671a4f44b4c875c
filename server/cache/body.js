'use strict';

/**
 * Node writes a string of up to 16 KB with one call, from the stack; this leaves 1 KB for its head. Longer bodies
 * stay outside V8's heap.
 */
const TEXT_MAX_BYTES = 15 * 1024;

/**
 * The bytes of a reply. Short ones are a string with one character a byte ("latin1", whatever their encoding is):
 * V8 makes, keeps and frees it for less than a Buffer. Either way `length` is the number of bytes.
 * @typedef {string | Buffer} Body
 */

/** A slice that leaves no more than this of its memory unused is kept as it is. */
const MAX_UNUSED_BYTES = 1024;

/**
 * Short bytes are often a slice of a socket's buffer of 64 KB, which a kept body would keep alive uncounted. A long page fills
 * nearly all of its own buffer.
 * @param {Buffer} bytes not written to any more
 * @returns {Body}
 */
function toBody(bytes) {
  if (bytes.length <= TEXT_MAX_BYTES) return bytes.toString('latin1');
  if (bytes.buffer.byteLength - bytes.length <= MAX_UNUSED_BYTES) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** @param {Body} body @returns {Buffer} */
const toBytes = (body) => (typeof body === 'string' ? Buffer.from(body, 'latin1') : body);

/** A body, not the promise of one. @param {Body | Promise<Body> | null} body @returns {body is Body} */
const isBody = (body) => typeof body === 'string' || Buffer.isBuffer(body);

exports.TEXT_MAX_BYTES = TEXT_MAX_BYTES;
exports.toBody = toBody;
exports.toBytes = toBytes;
exports.isBody = isBody;
