'use strict';

const { overloaded } = require('../errors');

/**
 * Bounds the memory of long pages. Their rows count from the query until the last byte of the reply has left: a page of
 * 20,000 products is 10 MB, which a slow reader keeps in the worker long after PostgreSQL has sent it.
 */
class LongPages {
  #fromRows;
  #maxRows;
  #rows = 0;

  /** @param {{ fromRows: number, maxRows: number }} limits shorter pages than `fromRows` are not counted */
  constructor({ fromRows, maxRows }) {
    this.#fromRows = fromRows;
    this.#maxRows = maxRows;
  }

  /**
   * @template {{ body: Buffer }} T
   * @param {number} count rows of the page
   * @param {() => Promise<T>} load
   * @returns {Promise<T & { released?: () => void }>} call `released` once the body is not needed any more
   * @throws {import('../errors').Problem} 503 when other long pages have taken the limit; a single one may have any size
   */
  async load(count, load) {
    if (count < this.#fromRows) return load();
    if (this.#rows > 0 && this.#rows + count > this.#maxRows) throw overloaded('Too many long lists are in progress.');
    this.#rows += count;
    const released = () => void (this.#rows -= count);
    try {
      return { ...(await load()), released };
    } catch (error) {
      released();
      throw error;
    }
  }
}

exports.LongPages = LongPages;
