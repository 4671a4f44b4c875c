'use strict';

const { ATTEMPTS, replaced } = require('./attempts');
const { PageBlocks } = require('./page-blocks');

/** Past the end: the blocks alone say so. @type {Page} */
const PAST_END = { body: Buffer.from('[]'), lastId: null, more: false, loadId: null };

/** @typedef {import('../store/rows').Page} Page */
/**
 * @typedef {object} Reads
 * @property {(start: { firstId: number, skip: number }, count: number, include: string, version: string) => Promise<Page>} pageAt
 * @property {(afterId: number, count: number, include: string, version: string) => Promise<Page>} pageAfter
 * @property {(version: string) => Promise<ConstructorParameters<typeof PageBlocks>[0]>} pageBlocks
 */
/**
 * @typedef {object} List
 * @property {number} [page] its number; none of a list after an id
 * @property {number} count
 * @property {string} include names by comma
 */

/** Lists of products, by page or after an id. */
class Pages {
  #database;
  #longPages;
  #rowsOf;
  #annotate;
  /** @type {{ version: string, blocks: Promise<PageBlocks> } | null} */
  #held = null;

  /**
   * @param {object} parts
   * @param {Reads} parts.database every read names its version, as a replica may be behind it
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(count: number, include: string) => number} [parts.rowsOf] what a list weighs for `longPages`
   * @param {(list: List & { nextAfter: number | null, total: number }) => string} parts.annotate text that is kept with the page
   */
  constructor({ database, longPages, rowsOf = (count) => count, annotate }) {
    this.#database = database;
    this.#longPages = longPages;
    this.#rowsOf = rowsOf;
    this.#annotate = annotate;
  }

  /** @param {string} version @param {number} page @param {number} count */
  byPage(version, page, count, include = '') {
    return this.#load(version, { page, count, include }, async (blocks) => {
      const start = blocks.locate((page - 1) * count);
      return start ? this.#database.pageAt(start, count, include, version) : PAST_END;
    });
  }

  /** @param {string} version @param {number} afterId @param {number} count */
  after(version, afterId, count, include = '') {
    return this.#load(version, { count, include }, () => this.#database.pageAfter(afterId, count, include, version));
  }

  /** @param {string} version @param {List} list @param {(blocks: PageBlocks) => Promise<Page>} read its rows */
  #load(version, list, read) {
    return this.#longPages.load(this.#rowsOf(list.count, list.include), async () => {
      const { page, total } = await this.#ofOneLoad(version, list, read);
      const { body, lastId, more } = page;
      return { body, annotation: this.#annotate({ ...list, total, nextAfter: more ? lastId : null }) };
    });
  }

  /**
   * A page whose rows come from another load than the blocks would start at the wrong row and have a wrong total: both are
   * read again. An empty page after an id has nothing of a load. The last attempt accepts one by its number, too: its rows were
   * deleted a moment ago.
   * @param {string} version @param {List} list @param {(blocks: PageBlocks) => Promise<Page>} read
   * @returns {Promise<{ page: Page, total: number }>}
   */
  async #ofOneLoad(version, list, read) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const held = this.#blocks(version);
      const blocks = await held.blocks;
      const page = await read(blocks);
      const isOfBlocks = page === PAST_END || (page.loadId === blocks.loadId && page.loadId !== null);
      const mayBeEmpty = list.page === undefined || attempt === ATTEMPTS;
      if (isOfBlocks || (page.lastId === null && mayBeEmpty)) return { page, total: blocks.totalRows };
      if (this.#held === held) this.#held = null; // but not the blocks that another page has begun to read since
    }
    throw replaced();
  }

  /** @param {string} version @returns {Promise<number>} products of the catalog */
  async total(version) {
    return (await this.#blocks(version).blocks).totalRows;
  }

  /** The blocks of a version, read once. @param {string} version */
  #blocks(version) {
    if (this.#held?.version !== version) {
      const blocks = this.#database.pageBlocks(version).then((read) => new PageBlocks(read));
      const held = { version, blocks };
      this.#held = held;
      blocks.catch(() => {
        if (this.#held === held) this.#held = null;
      });
    }
    return this.#held;
  }
}

exports.Pages = Pages;
