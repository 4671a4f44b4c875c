'use strict';

const { unavailable } = require('../errors');
const { PageBlocks } = require('./page-blocks');

/** Blocks and rows are two reads; this many times a load or a delete may come between them. */
const ATTEMPTS = 3;

const EMPTY = { body: Buffer.from('[]'), lastId: null, more: false, loadId: null };

/** @typedef {import('../store/database').Page} Page */
/**
 * @typedef {object} Reads
 * @property {(start: { firstId: number, skip: number }, count: number, version: string) => Promise<Page>} pageAt
 * @property {(afterId: number, count: number, version: string) => Promise<Page>} pageAfter
 * @property {(version: string) => Promise<ConstructorParameters<typeof PageBlocks>[0]>} pageBlocks
 */

/** Lists of products, by page or after an id. */
class Pages {
  #database;
  #longPages;
  #annotate;
  /** @type {{ version: string, blocks: Promise<PageBlocks> } | null} */
  #held = null;

  /**
   * @param {object} parts
   * @param {Reads} parts.database every read names its version, as a replica may be behind it
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(page: { count: number, nextAfter: number | null }) => string} parts.annotate text that is kept with the page
   */
  constructor({ database, longPages, annotate }) {
    this.#database = database;
    this.#longPages = longPages;
    this.#annotate = annotate;
  }

  /** @param {string} version @param {number} page @param {number} count */
  byPage(version, page, count) {
    const offset = (page - 1) * count;
    return this.#longPages.load(count, async () => this.#annotated(await this.#rowsAt(version, offset, count), count));
  }

  /** @param {string} version @param {number} afterId @param {number} count */
  after(version, afterId, count) {
    return this.#longPages.load(count, async () =>
      this.#annotated(await this.#database.pageAfter(afterId, count, version), count),
    );
  }

  /** @param {Page} page @param {number} count */
  #annotated({ body, lastId, more }, count) {
    return { body, annotation: this.#annotate({ count, nextAfter: more ? lastId : null }) };
  }

  /**
   * A page whose rows come from another load than the blocks would start at the wrong row: both are
   * read again. The last attempt accepts an empty page: its rows were deleted a moment ago.
   * @param {string} version @param {number} offset @param {number} count
   */
  async #rowsAt(version, offset, count) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const held = this.#blocks(version);
      const blocks = await held.blocks;
      const start = blocks.locate(offset);
      if (!start) return EMPTY;
      const page = await this.#database.pageAt(start, count, version);
      if (page.loadId === blocks.loadId && page.loadId !== null) return page;
      if (page.lastId === null && attempt === ATTEMPTS) return page;
      if (this.#held === held) this.#held = null; // but not the blocks that another page has begun to read since
    }
    throw unavailable('The catalog is being replaced.');
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
