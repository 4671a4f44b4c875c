'use strict';

const firstLength = 65_536;

/** What is wrong with a reply, as bits. */
const flagBits = Object.freeze({ wrongBody: 1, noRetryAfter: 2 });

/**
 * Requests as columns: millions of objects would make the generator's garbage collector part of the measurement.
 * @typedef {object} Columns
 * @property {Float64Array} dueMs when the request was due, since the epoch
 * @property {Float32Array} tookMs from then to the end of the reply
 * @property {Int16Array} status 0: no reply
 * @property {Uint8Array} kind
 * @property {Uint8Array} flags
 */

/** @param {number} length @returns {Columns} */
const columns = (length) => ({
  dueMs: new Float64Array(length),
  tookMs: new Float32Array(length),
  status: new Int16Array(length),
  kind: new Uint8Array(length),
  flags: new Uint8Array(length),
});

/** Grows by doubling. */
class Samples {
  length = 0;
  #columns = columns(firstLength);

  /** @param {number} dueMs @param {number} tookMs @param {number} status @param {number} kind @param {number} flags */
  add(dueMs, tookMs, status, kind, flags) {
    if (this.length === this.#columns.dueMs.length) this.#grow();
    const at = this.length++;
    this.#columns.dueMs[at] = dueMs;
    this.#columns.tookMs[at] = tookMs;
    this.#columns.status[at] = status;
    this.#columns.kind[at] = kind;
    this.#columns.flags[at] = flags;
  }

  /** @returns {Columns} */
  take() {
    const { dueMs, tookMs, status, kind, flags } = this.#columns;
    return {
      dueMs: dueMs.slice(0, this.length),
      tookMs: tookMs.slice(0, this.length),
      status: status.slice(0, this.length),
      kind: kind.slice(0, this.length),
      flags: flags.slice(0, this.length),
    };
  }

  #grow() {
    const old = this.#columns;
    this.#columns = columns(old.dueMs.length * 2);
    for (const [name, values] of Object.entries(old))
      /** @type {any} */ (this.#columns)[name].set(values);
  }
}

module.exports = { flagBits, Samples };
