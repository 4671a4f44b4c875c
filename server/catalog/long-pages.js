'use strict';

const { overloaded } = require('../core/errors');

/** @typedef {{ longRows: number }} Sent an entry of a reply, with its rows */

/**
 * Bounds the memory of long pages. Their rows count from the query until the last reply with them has left: a page of
 * 20,000 products is 10 MB, which a slow reader keeps in the worker long after PostgreSQL has sent it. Then the garbage collector
 * frees it.
 */
class LongPages {
  #fromRows;
  #maxRows;
  #readRows = 0;
  /** One element a reply. Replies may share an entry, which counts once. @type {Set<{ entry: Sent }>} */
  #replies = new Set();

  /** @param {{ fromRows: number, maxRows: number }} limits shorter pages than `fromRows` are not counted */
  constructor({ fromRows, maxRows }) {
    this.#fromRows = fromRows;
    this.#maxRows = maxRows;
  }

  /** Rows that are being read or sent. */
  get rows() {
    const entries = new Set(Array.from(this.#replies, ({ entry }) => entry));
    return [...entries].reduce((sum, { longRows }) => sum + longRows, this.#readRows);
  }

  /**
   * @template {{ body: Buffer }} T
   * @param {number} count rows of the page
   * @param {() => Promise<T>} load
   * @returns {Promise<T & { longRows?: number }>} with the rows that count while its replies are sent
   * @throws {import('../core/errors').Problem} 503 when other long pages have taken the limit; a single one may have any size
   */
  async load(count, load) {
    if (count < this.#fromRows) return load();
    const { rows } = this;
    if (rows > 0 && rows + count > this.#maxRows) throw overloaded('Too many long lists are in progress.');
    this.#readRows += count;
    try {
      return { ...(await load()), longRows: count };
    } finally {
      // Requests that wait for the page begin their replies before the next turn of the event loop.
      setImmediate(() => void (this.#readRows -= count));
    }
  }

  /** Counts an entry while a reply with it is under way. @param {Sent} entry @returns {() => void} ends it; repeats change nothing */
  send(entry) {
    const reply = { entry };
    this.#replies.add(reply);
    return () => void this.#replies.delete(reply);
  }
}

exports.LongPages = LongPages;
