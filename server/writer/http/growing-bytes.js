'use strict';

const FIRST_BYTES = 4096;

/** Pieces of a body in one piece of memory: a client that sends single bytes would make a list of them take a hundred times as much. */
class GrowingBytes {
  #bytes = Buffer.alloc(0);
  #expected;
  length = 0;

  /** @param {number} [expected] bytes, if their sender has said how many: it costs no memory before they come */
  constructor(expected = FIRST_BYTES) {
    this.#expected = expected;
  }

  /** @param {Buffer} piece */
  add(piece) {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length, this.#expected));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, this.length);
    this.length = length;
  }

  /** The bytes that were added since the last call. They are overwritten by the next add(). */
  take() {
    const taken = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

exports.GrowingBytes = GrowingBytes;
