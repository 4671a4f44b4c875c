'use strict';

const { ATTEMPTS, replaced } = require('./attempts');

/** Products by their ids, with what they include. */
class Batches {
  #database;
  #longPages;
  #rowsOf;

  /**
   * @param {object} parts
   * @param {{ batch: (ids: number[], include: string, version: string) => Promise<import('../store/rows').Batch> }} parts.database
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(count: number, include: string) => number} parts.rowsOf what a list weighs for `longPages`
   */
  constructor({ database, longPages, rowsOf }) {
    this.#database = database;
    this.#longPages = longPages;
    this.#rowsOf = rowsOf;
  }

  /** @param {string} version @param {number[]} ids @param {string} include names by comma; features are one of them here */
  list(version, ids, include) {
    return this.#longPages.load(this.#rowsOf(ids.length, include), async () => ({
      body: await this.#ofOneLoad(version, ids, include),
    }));
  }

  /**
   * A product's own reply is an element of a list with features: the same bytes, less the brackets.
   * @param {string} version @param {number} id @param {string} include names by comma
   * @returns {Promise<{ body: Buffer } | null>} null when there is no such product
   */
  async product(version, id, include) {
    const body = (await this.#ofOneLoad(version, [id], `features,${include}`)).subarray(1, -1);
    return body.equals(UNKNOWN) ? null : { body };
  }

  /** @param {string} version @param {number[]} ids @param {string} include @returns {Promise<Buffer>} JSON array */
  async #ofOneLoad(version, ids, include) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { body, mixed } = await this.#database.batch(ids, include, version);
      if (!mixed) return body;
    }
    throw replaced();
  }
}

const UNKNOWN = Buffer.from('null');

exports.Batches = Batches;
