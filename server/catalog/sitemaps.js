'use strict';

const { PROBLEMS, Problem } = require('../core/errors');
const { versionOf } = require('./keys');

/** Addresses of one file at most, as sitemaps.org says. */
const FILE_ROWS = 50_000;
/** Products of one piece: about 120 KB. */
const PIECE_ROWS = 1000;

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter]);

/** @typedef {{ firstId: number, skip: number }} Start @typedef {import('../store/rows').Piece} Piece */

/**
 * Lists of the pages of all products, for search engines: files of 50,000, and an index that names them. A file is read piece by piece,
 * as an export. A product may change its file while a crawler reads them, when others before it are added or removed.
 */
class Sitemaps {
  #database;
  #version;
  #pages;
  #exported;
  #shop;

  /**
   * @param {object} parts
   * @param {{ sitemapPiece: (start: Start, count: number, stamp: string) => Promise<Piece> }} parts.database
   * @param {Pick<import('../store/servers/data-version').DataVersion, 'lists'>} parts.version
   * @param {import('./pages').Pages} parts.pages
   * @param {import('./exports').Exports} parts.exported whose places they take
   * @param {import('./shop').Shop} parts.shop
   */
  constructor({ database, version, pages, exported, shop }) {
    this.#database = database;
    this.#version = version;
    this.#pages = pages;
    this.#exported = exported;
    this.#shop = shop;
  }

  /**
   * @param {number | null} number of a file; null: the index
   * @returns {Promise<import('./exports').Export>}
   * @throws {Problem} 404: there is no such file
   */
  async begin(number) {
    const { stamp } = this.#version.lists;
    const files = Math.max(1, Math.ceil((await this.#pages.total(stamp)) / FILE_ROWS));
    if (number === null)
      return { version: versionOf(stamp), pieces: this.#index(files), count: () => 0, release: () => {} };
    if (!(number <= files))
      throw new Problem(PROBLEMS.unknownPath, `The last file is /sitemap-${files}.xml. /sitemap.xml names all.`);
    return this.#exported.hold(async () => {
      const start = await this.#pages.locate(stamp, (number - 1) * FILE_ROWS);
      const first = start && (await this.#read(start));
      const sent = { count: 0 };
      return { pieces: this.#file(first, sent), count: () => sent.count };
    });
  }

  /** @param {number} files */
  async *#index(files) {
    const { origin } = this.#shop;
    const locations = Array.from(
      { length: files },
      (_, index) => `<sitemap><loc>${escaped(origin)}/sitemap-${index + 1}.xml</loc></sitemap>\n`,
    );
    yield Buffer.from(`${XML}<sitemapindex ${NAMESPACE}>\n${locations.join('')}</sitemapindex>\n`);
  }

  /** @param {Piece | null} first @param {{ count: number }} sent */
  async *#file(first, sent) {
    yield Buffer.from(`${XML}<urlset ${NAMESPACE}>\n`);
    for (let piece = first; piece !== null && piece.lastId !== null;) {
      sent.count += piece.count;
      yield Buffer.from(this.#urls(piece.lines));
      if (piece.count < PIECE_ROWS || sent.count === FILE_ROWS) break;
      piece = await this.#read({ firstId: piece.lastId + 1, skip: 0 });
    }
    yield Buffer.from('</urlset>\n');
  }

  /** @param {Buffer} lines of products: id, name, time */
  #urls(lines) {
    /** @type {[id: number, name: string, updatedAt: string][]} */
    const products = JSON.parse(String(lines));
    return products
      .map(
        ([id, name, time]) =>
          `<url><loc>${escaped(this.#shop.urlOf(id, name))}</loc><lastmod>${time}</lastmod></url>\n`,
      )
      .join('');
  }

  /** Its stamp is that of now, as of an export. @param {Start} start */
  #read(start) {
    return this.#database.sitemapPiece(start, PIECE_ROWS, this.#version.lists.stamp);
  }
}

exports.Sitemaps = Sitemaps;
