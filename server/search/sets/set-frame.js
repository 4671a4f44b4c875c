'use strict';

const { wordsFor } = require('./bits');
const { OrdinalSet } = require('./ordinal-set');

/** Ordinals of a chunk, and the most of them that are written as ordinals. */
const CHUNK_ORDINALS = 65_536;
const MAX_LISTED = 4096;
const CHUNK_BYTES = CHUNK_ORDINALS / 8;
const HEADER_BYTES = 16;

/** @typedef {{ chunk: number, rows: number, bits: Buffer }} Chunk */

/**
 * Reads what `sets()` of a reader returns: rows of `search_sets`, one behind the other, in order of key index and chunk.
 * A row is four int4, big-endian as `int4send` makes them, and the bytes of `bits`:
 *
 *     index of the key in the request, from 0 | chunk | rows | length of bits in bytes | bits
 *
 * @param {Buffer} frame
 * @param {number} keys how many were requested
 * @param {number} size products of the catalog
 * @returns {OrdinalSet[]} one a key; a key without rows has no products
 * @throws {Error} when the bytes do not have this form
 */
function decodeFrame(frame, keys, size) {
  /** @type {Chunk[][]} */
  const chunks = Array.from({ length: keys }, () => []);
  for (let at = 0; at < frame.length;) {
    const [index, chunk, rows, bytes] = [0, 4, 8, 12].map((offset) => frame.readInt32BE(at + offset));
    const bits = frame.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes);
    check(chunks[index], { chunk, rows, bits }, bytes, size);
    chunks[index].push({ chunk, rows, bits });
    at += HEADER_BYTES + bytes;
  }
  return chunks.map((ofKey) => setOf(ofKey, size));
}

/** @param {Chunk[] | undefined} before chunks of the same key @param {Chunk} row @param {number} bytes @param {number} size */
function check(before, { chunk, rows, bits }, bytes, size) {
  const wanted = rows > MAX_LISTED ? CHUNK_BYTES : rows * 2;
  const inOrder = before && chunk > (before.at(-1)?.chunk ?? -1) && chunk * CHUNK_ORDINALS < size;
  if (inOrder && rows > 0 && bytes === wanted && bits.length === bytes) return;
  throw new Error(
    `A search set has a wrong row: chunk ${chunk}, ${rows} rows, ${bits.length} of ${bytes} bytes. Load the data again.`,
  );
}

/** @param {Chunk[]} chunks @param {number} size */
function setOf(chunks, size) {
  const count = chunks.reduce((sum, { rows }) => sum + rows, 0);
  if (OrdinalSet.isSparse(size, count)) return new OrdinalSet(size, count, { ordinals: ordinalsOf(chunks, count) });
  const bits = new Int32Array(wordsFor(size));
  const bytes = new Uint8Array(bits.buffer);
  for (const chunk of chunks) writeBits(bytes, chunk);
  return new OrdinalSet(size, count, { bits });
}

/** @param {Chunk[]} chunks @param {number} count */
function ordinalsOf(chunks, count) {
  const ordinals = new Int32Array(count);
  let written = 0;
  for (const { chunk, rows, bits } of chunks) {
    const first = chunk * CHUNK_ORDINALS;
    if (rows <= MAX_LISTED) {
      for (let at = 0; at < bits.length; at += 2) ordinals[written++] = first + bits[at] + bits[at + 1] * 256;
      continue;
    }
    for (let at = 0; at < bits.length; at += 1) {
      for (let rest = bits[at]; rest !== 0; rest &= rest - 1) {
        ordinals[written++] = first + at * 8 + 31 - Math.clz32(rest & -rest);
      }
    }
  }
  return ordinals;
}

/** @param {Uint8Array} out of little-endian words, as all machines have that run this @param {Chunk} chunk */
function writeBits(out, { chunk, rows, bits }) {
  const first = chunk * CHUNK_BYTES;
  if (rows > MAX_LISTED) {
    out.set(bits.subarray(0, out.length - first), first);
    return;
  }
  for (let at = 0; at < bits.length; at += 2) {
    const ordinal = bits[at] + bits[at + 1] * 256;
    out[first + (ordinal >>> 3)] |= 1 << (ordinal & 7);
  }
}

exports.decodeFrame = decodeFrame;
