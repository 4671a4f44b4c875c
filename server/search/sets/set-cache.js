'use strict';

const { LRUCache } = require('lru-cache');

const { OrdinalSet } = require('./ordinal-set');
const { wordsFor } = require('./bits');

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

/** One read of sets is at most about so long, and has at most so many keys: decoding it is one turn of the event loop. */
const READ_BYTES = 2 * 1024 * 1024;
const READ_KEYS = 2000;
/** The memory of an entry beside its bytes and its key. */
const ENTRY_BYTES = 300;

/**
 * @typedef {object} Wanted
 * @property {string} key
 * @property {number} [count] its products, if that is known: a set of none is not read
 */
/** @typedef {(keys: string[]) => Promise<Buffer>} ReadFrame */
/** @template T @typedef {{ source: object, made: T, bytes: number }} Derived */

/** The sets of one index: those used last are held, up to a number of bytes; the others are read. */
class SetCache {
  #read;
  #size;
  #empty;
  /** @type {LRUCache<string, { bytes: number }>} */
  #held;
  /** @type {Map<string, Promise<OrdinalSet>>} sets that are being read */
  #reading = new Map();

  /** @param {{ read: ReadFrame, size: number, maxBytes: number }} options `size`: products of the catalog */
  constructor({ read, size, maxBytes }) {
    this.#read = read;
    this.#size = size;
    this.#empty = OrdinalSet.empty(size);
    this.#held = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + ENTRY_BYTES,
    });
  }

  get bytes() {
    return this.#held.calculatedSize;
  }

  /** @param {Wanted[]} wanted @returns {OrdinalSet[] | null} null when one must be read */
  held(wanted) {
    const found = [];
    for (const { key, count } of wanted) {
      const set = count === 0 ? this.#empty : this.#held.get(key);
      if (!set) return null;
      found.push(/** @type {OrdinalSet} */ (set));
    }
    return found;
  }

  /** Also reads what is not held. @param {Wanted[]} wanted @returns {Promise<OrdinalSet[]>} in the same order */
  async get(wanted) {
    const found = wanted.map(({ key, count }) => {
      if (count === 0) return this.#empty;
      return /** @type {OrdinalSet | undefined} */ (this.#held.get(key)) ?? this.#reading.get(key);
    });
    const missing = new Map(wanted.filter((_, index) => !found[index]).map((each) => [each.key, each]));
    const read = new Map();
    for (const group of this.#groups([...missing.values()])) {
      for (const [key, set] of this.#readGroup(group)) read.set(key, set);
    }
    return Promise.all(found.map((set, index) => set ?? read.get(wanted[index].key)));
  }

  /**
   * A value is computed from the index once, and computed again after it was pushed out.
   * @template {{ bytes: number }} T
   * @param {string} name not a key of a set @param {() => T} make @param {object} source of which it is made: it is held for one at a time
   * @returns {T}
   */
  derived(name, make, source) {
    const held = /** @type {Derived<T> | undefined} */ (this.#held.get(name));
    if (held?.source === source) return held.made;
    const made = make();
    /** @type {Derived<T>} */
    const derived = { source, made, bytes: made.bytes };
    this.#held.set(name, derived);
    return made;
  }

  /** A cache of sets of another size, which takes the place of this one. Searches that began before may still use this one. @param {number} size */
  resized(size) {
    this.#held.clear();
    return new SetCache({ read: this.#read, size, maxBytes: this.#held.maxSize });
  }

  /** @param {Wanted[]} missing @returns {string[][]} keys of each read */
  #groups(missing) {
    const densest = this.#size / 8;
    /** @type {string[][]} */
    const groups = [];
    let bytes = Infinity;
    for (const { key, count = this.#size } of missing) {
      bytes += Math.min(densest, count * 2);
      if (bytes > READ_BYTES || groups[groups.length - 1].length === READ_KEYS) {
        groups.push([]);
        bytes = Math.min(densest, count * 2);
      }
      groups[groups.length - 1].push(key);
    }
    return groups;
  }

  /** @param {string[]} keys @returns {[string, Promise<OrdinalSet>][]} */
  #readGroup(keys) {
    const sets = this.#read(keys).then((frame) => decodeFrame(frame, keys.length, this.#size));
    const ends = keys.map((key, index) => /** @type {const} */ ([key, sets.then((read) => read[index])]));
    for (const [key, set] of ends) {
      this.#reading.set(key, set);
      set
        .then(
          (read) => this.#held.set(key, read),
          () => {}, // The search that waits for it gets the error.
        )
        .finally(() => this.#reading.delete(key));
    }
    return ends.map(([key, set]) => [key, set]);
  }
}

exports.decodeFrame = decodeFrame;
exports.SetCache = SetCache;
