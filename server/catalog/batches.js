'use strict';

const { ATTEMPTS, replaced } = require('./attempts');

/** Products by their ids, with what they include. */
class Batches {
  #database;
  #longPages;
  #rowsOf;

  /**
   * @param {object} parts
   * @param {{ batch: (ids: number[], include: string, stamp: string) => Promise<import('../store/rows').Batch> }} parts.database
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(count: number, include: string) => number} parts.rowsOf what a list weighs for `longPages`
   */
  constructor({ database, longPages, rowsOf }) {
    this.#database = database;
    this.#longPages = longPages;
    this.#rowsOf = rowsOf;
  }

  /** @param {string} stamp @param {number[]} ids @param {string} include names by comma; features are one of them here */
  list(stamp, ids, include) {
    return this.#longPages.load(this.#rowsOf(ids.length, include), async () => ({
      body: await this.#ofOneLoad(stamp, ids, include),
    }));
  }

  /**
   * A product's own reply is an element of a list with features: the same bytes, less the brackets.
   * @param {string} stamp @param {number} id @param {string} include names by comma
   * @returns {Promise<{ body: Buffer } | null>} null when there is no such product
   */
  async product(stamp, id, include) {
    const body = (await this.#ofOneLoad(stamp, [id], `features,${include}`)).subarray(1, -1);
    return body.equals(UNKNOWN) ? null : { body };
  }

  /** @param {string} stamp @param {number[]} ids @param {string} include @returns {Promise<Buffer>} JSON array */
  async #ofOneLoad(stamp, ids, include) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { body, mixed } = await this.#database.batch(ids, include, stamp);
      if (!mixed) return body;
    }
    throw replaced();
  }
}

const UNKNOWN = Buffer.from('null');

exports.Batches = Batches;
