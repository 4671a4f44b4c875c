'use strict';

const FIRST_BYTES = 4096;

/** Pieces of a body in one piece of memory: a client that sends single bytes would make a list of them take a hundred times as much. */
class GrowingBytes {
  #bytes = Buffer.alloc(0);
  length = 0;

  /** @param {Buffer} piece */
  add(piece) {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length, FIRST_BYTES));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, this.length);
    this.length = length;
  }

  /** What was added since the last call. It is overwritten by the next add(). */
  take() {
    const taken = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

exports.GrowingBytes = GrowingBytes;
