'use strict';

const { ATTEMPTS, replaced } = require('./attempts');

/**
 * Finds a row of the catalog by its number. Products in id order are cut into blocks, and a binary search over the sums of
 * their row counts finds the block. Page 190,000 costs what page 1 does, although ids have gaps; SQL's OFFSET would read all rows
 * before it.
 */
class PageBlocks {
  #firstIds;
  #rowsBefore;

  /**
   * @param {object} blocks in id order
   * @param {number[]} blocks.firstIds first id of each block
   * @param {number[]} blocks.rows products in each block
   * @param {number | null} blocks.loadId the load they were counted in
   * @param {number} blocks.countedSeq the last commit that added or removed products by then
   */
  constructor({ firstIds, rows, loadId, countedSeq }) {
    this.loadId = loadId;
    this.countedSeq = countedSeq;
    this.#firstIds = Int32Array.from(firstIds);
    this.#rowsBefore = new Uint32Array(rows.length + 1);
    rows.forEach((count, index) => (this.#rowsBefore[index + 1] = this.#rowsBefore[index] + count));
  }

  get totalRows() {
    return this.#rowsBefore[this.#rowsBefore.length - 1];
  }

  /**
   * @param {number} offset rows before it
   * @returns {{ firstId: number, skip: number } | null} read from firstId on and skip rows; null past the end
   */
  locate(offset) {
    if (offset >= this.totalRows) return null;
    let low = 0;
    let high = this.#firstIds.length - 1;
    // The last block with at most `offset` rows before it; an emptied block is skipped.
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#rowsBefore[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { firstId: this.#firstIds[low], skip: offset - this.#rowsBefore[low] };
  }
}

/** Past the end: the blocks alone say so. @type {Page} */
const PAST_END = { body: Buffer.from('[]'), lastId: null, more: false, loadId: null, countedSeq: 0 };

/** @typedef {import('../store/rows').Page} Page */
/** @typedef {{ firstId: number, rowsBefore: number }} Start one of them: of a list after an id, or of a page by its number; 0 or -1 for the other */
/**
 * @typedef {object} Reads
 * @property {(start: { firstId: number, skip: number }, count: number, include: string, stamp: string) => Promise<Page>} pageAt
 * @property {(afterId: number, count: number, include: string, stamp: string) => Promise<Page>} pageAfter
 * @property {(start: Start, count: number, include: string, stamp: string) => Promise<Page & { total: number }>} countedPage
 * @property {(stamp: string) => Promise<ConstructorParameters<typeof PageBlocks>[0]>} pageBlocks
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
  #countsOf;
  /** @type {{ counts: string, blocks: Promise<PageBlocks> } | null} */
  #held = null;

  /**
   * @param {object} parts
   * @param {Reads} parts.database every read names its stamp, as a replica may be behind it
   * @param {import('./long-pages').LongPages} parts.longPages
   * @param {(count: number, include: string) => number} [parts.rowsOf] what a list weighs for `longPages`
   * @param {(stamp: string) => string} [parts.countsOf] the stamp of the counts: few writes change them
   * @param {(list: List & { nextAfter: number | null, total: number }) => string} parts.annotate text that is kept with the page
   */
  constructor({ database, longPages, rowsOf = (count) => count, annotate, countsOf = (stamp) => stamp }) {
    this.#database = database;
    this.#longPages = longPages;
    this.#rowsOf = rowsOf;
    this.#annotate = annotate;
    this.#countsOf = countsOf;
  }

  /** @param {string} stamp @param {number} page @param {number} count */
  byPage(stamp, page, count, include = '') {
    const start = { firstId: 0, rowsBefore: (page - 1) * count };
    return this.#load(stamp, { page, count, include }, start, async (blocks) => {
      const place = blocks.locate(start.rowsBefore);
      return place ? this.#database.pageAt(place, count, include, stamp) : PAST_END;
    });
  }

  /** @param {string} stamp @param {number} afterId @param {number} count */
  after(stamp, afterId, count, include = '') {
    const start = { firstId: afterId + 1, rowsBefore: -1 };
    return this.#load(stamp, { count, include }, start, () => this.#database.pageAfter(afterId, count, include, stamp));
  }

  /** @param {string} stamp @param {List} list @param {Start} start @param {(blocks: PageBlocks) => Promise<Page>} read its rows */
  #load(stamp, list, start, read) {
    return this.#longPages.load(this.#rowsOf(list.count, list.include), async () => {
      const { page, total } = await this.#ofOneState(stamp, list, start, read);
      const { body, lastId, more } = page;
      return { body, annotation: this.#annotate({ ...list, total, nextAfter: more ? lastId : null }) };
    });
  }

  /**
   * A page whose rows come from another load than the blocks, or from before or after a write that added or removed products, would
   * start at the wrong row and have a wrong total: both are read again. An empty page after an id has nothing of a load. The last
   * attempt accepts one by its number, too: its rows were deleted a moment ago. When writes come faster than pages are read, that
   * attempt counts and reads in one statement.
   * @param {string} stamp @param {List} list @param {Start} start @param {(blocks: PageBlocks) => Promise<Page>} read
   * @returns {Promise<{ page: Page, total: number }>}
   */
  async #ofOneState(stamp, list, start, read) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const held = this.#blocks(stamp);
      const blocks = await held.blocks;
      const page = await read(blocks);
      if (page === PAST_END) return { page, total: blocks.totalRows };
      const isOfLoad = page.loadId === blocks.loadId && page.loadId !== null;
      const mayBeEmpty = page.lastId === null && (list.page === undefined || attempt === ATTEMPTS);
      const isOfWrite = page.countedSeq === blocks.countedSeq;
      if (isOfWrite && (isOfLoad || mayBeEmpty)) return { page, total: blocks.totalRows };
      if (this.#held === held) this.#held = null; // but not the blocks that another page has begun to read since
      if (!isOfWrite && attempt === ATTEMPTS) return this.#counted(stamp, list, start);
    }
    throw replaced();
  }

  /** @param {string} stamp @param {List} list @param {Start} start */
  async #counted(stamp, { count, include }, start) {
    const page = await this.#database.countedPage(start, count, include, stamp);
    if (page.loadId === null && page.lastId !== null) throw replaced();
    return { page, total: page.total };
  }

  /** @param {string} stamp @returns {Promise<number>} products of the catalog */
  async total(stamp) {
    return (await this.#blocks(stamp).blocks).totalRows;
  }

  /** @param {string} stamp @param {number} offset rows before it @returns {Promise<ReturnType<PageBlocks['locate']>>} null past the end */
  async locate(stamp, offset) {
    return (await this.#blocks(stamp).blocks).locate(offset);
  }

  /** The blocks, read once until products are added or removed. @param {string} stamp */
  #blocks(stamp) {
    const counts = this.#countsOf(stamp);
    if (this.#held?.counts !== counts) {
      const blocks = this.#database.pageBlocks(counts).then((read) => new PageBlocks(read));
      const held = { counts, blocks };
      this.#held = held;
      blocks.catch(() => {
        if (this.#held === held) this.#held = null;
      });
    }
    return this.#held;
  }
}

exports.PageBlocks = PageBlocks;
exports.Pages = Pages;
