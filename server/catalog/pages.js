'use strict';

const { unavailable } = require('../errors');
const { PageBlocks } = require('./page-blocks');

/** Blocks and rows are read one after the other; this often a load or a delete may fall between. */
const ATTEMPTS = 3;

const EMPTY = { body: Buffer.from('[]'), lastId: null, more: false, loadId: null };

/** @typedef {import('../store/database').Page} Page */

/** Lists of products, by page or after an id. */
class Pages {
  #database;
  #longPages;
  /** @type {{ version: string, blocks: Promise<PageBlocks> } | null} */
  #held = null;

  /**
   * @param {object} database every read says the version it is for, as a replica may be behind it
   * @param {(start: { firstId: number, skip: number }, count: number, version: string) => Promise<Page>} database.pageAt
   * @param {(afterId: number, count: number, version: string) => Promise<Page>} database.pageAfter
   * @param {(version: string) => Promise<ConstructorParameters<typeof PageBlocks>[0]>} database.pageBlocks
   * @param {import('./long-pages').LongPages} longPages
   */
  constructor(database, longPages) {
    this.#database = database;
    this.#longPages = longPages;
  }

  /** @param {string} version @param {number} page @param {number} count */
  byPage(version, page, count) {
    const offset = (page - 1) * count;
    return this.#longPages.load(count, async () => linked(await this.#rowsAt(version, offset, count), count));
  }

  /** @param {string} version @param {number} afterId @param {number} count */
  after(version, afterId, count) {
    return this.#longPages.load(count, async () =>
      linked(await this.#database.pageAfter(afterId, count, version), count),
    );
  }

  /**
   * A page whose rows come from another load than the blocks would start at the wrong row: both are
   * read anew. The last attempt believes an empty page: its rows were deleted a moment ago.
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
      if (this.#held === held) this.#held = null; // not what another page has begun to read since
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

/**
 * Each reference is only a query (RFC 3986, 5.3): resolved against the URL that was asked for, it keeps its path, with whatever prefix a
 * proxy put before it and with its trailing slash. No header of the request is needed, or believed.
 * @param {import('../store/database').Page} page @param {number} count
 */
function linked({ body, lastId, more }, count) {
  const next = more ? `<?after=${lastId}&count=${count}>; rel="next", ` : '';
  return { body, link: `${next}<?page=1&count=${count}>; rel="first"` };
}

exports.Pages = Pages;
