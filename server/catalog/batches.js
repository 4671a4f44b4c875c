'use strict';

const { ATTEMPTS, replaced } = require('./attempts');

/** Products or skus by their ids, with what they include. */
class Batches {
  #read;
  #longPages;
  #rowsOf;

  /**
   * @param {object} parts
   * @param {(ids: number[], include: string, stamp: string) => Promise<{ body: Buffer, mixed?: boolean }>} parts.read as `Database.batch`
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(count: number, include: string) => number} parts.rowsOf what a list weighs for `longPages`
   */
  constructor({ read, longPages, rowsOf }) {
    this.#read = read;
    this.#longPages = longPages;
    this.#rowsOf = rowsOf;
  }

  /** @param {string} stamp @param {number[]} ids @param {string} include names by comma; features of a product are one of them here */
  list(stamp, ids, include) {
    return this.#longPages.load(this.#rowsOf(ids.length, include), async () => ({
      body: await this.#ofOneLoad(stamp, ids, include),
    }));
  }

  /**
   * The reply of one is an element of a list: the same bytes, less the brackets.
   * @param {string} stamp @param {number} id @param {string} include names by comma
   * @returns {Promise<{ body: Buffer } | null>} null when there is none
   */
  async one(stamp, id, include) {
    const body = (await this.#ofOneLoad(stamp, [id], include)).subarray(1, -1);
    return body.equals(UNKNOWN) ? null : { body };
  }

  /** @param {string} stamp @param {number[]} ids @param {string} include @returns {Promise<Buffer>} JSON array */
  async #ofOneLoad(stamp, ids, include) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { body, mixed } = await this.#read(ids, include, stamp);
      if (!mixed) return body;
    }
    throw replaced();
  }
}

const UNKNOWN = Buffer.from('null');

exports.Batches = Batches;
