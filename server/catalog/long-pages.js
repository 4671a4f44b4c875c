'use strict';

const { overloaded } = require('../errors');

/**
 * Bounds the memory of long pages. Their rows count from the query until the last byte of the reply has left: each page of
 * 20,000 products is 10 MB, which a slow reader keeps in the worker long after PostgreSQL is done with it.
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
   * @returns {Promise<T & { released?: () => void }>} `released` is to be called once nobody needs the body
   * @throws {import('../errors').Problem} 503 when other long pages leave no room; one of any size always has
   */
  async load(count, load) {
    if (count < this.#fromRows) return load();
    if (this.#rows > 0 && this.#rows + count > this.#maxRows) throw overloaded('Too many long lists are under way.');
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
