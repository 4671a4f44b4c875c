'use strict';

const { overloaded } = require('../core/errors');
const { FULL_INCLUDE, LARGE_INCLUDE_ROWS } = require('../core/policy');
const { ATTEMPTS, replaced } = require('./attempts');

/** Products of one piece: about 250 KB of cards, a few milliseconds of PostgreSQL. */
const PIECE_ROWS = 500;
/** @param {View} view */
const rowsOf = (view) => (view === 'full' ? PIECE_ROWS / LARGE_INCLUDE_ROWS : PIECE_ROWS);

/** @typedef {import('../store/rows').Piece} Piece */
/** @typedef {import('../core/policy').ExportView} View */
/**
 * @typedef {object} Export
 * @property {string} version of the data when it began
 * @property {AsyncIterable<Buffer>} pieces whole lines; the next ones are read when they are asked for
 * @property {() => number} count products in the pieces so far
 * @property {() => void} release frees its place; call it once, also after a failure
 */

/**
 * Exports: all products after an id, read piece by piece, so that an export of any length takes the memory of one piece.
 * A load or a write during an export does not end it: the rest comes from the catalog as it is then, and its last line says so. With
 * frequent changes no export would be complete otherwise.
 */
class Exports {
  #database;
  #version;
  #admit;
  #places;

  /**
   * @param {object} parts
   * @param {{ exportPiece: (view: View, afterId: number, count: number, stamp: string) => Promise<Piece> }} parts.database
   * @param {Pick<import('../store/servers/data-version').DataVersion, 'current' | 'lists'>} parts.version
   * @param {() => void} parts.admit throws when the worker takes no more reads of the database
   * @param {number} parts.places exports at a time
   */
  constructor({ database, version, admit, places }) {
    this.#database = database;
    this.#version = version;
    this.#admit = admit;
    this.#places = places;
  }

  /**
   * Reads the first piece, so that a database that is away is a 503 and not a reply that breaks off.
   * @param {View} view @param {number} afterId
   */
  begin(view, afterId) {
    return this.hold(async (version) => {
      const first = await this.#read(view, afterId);
      const sent = { count: 0 };
      return { pieces: this.#pieces(version, view, first, sent), count: () => sent.count };
    });
  }

  /**
   * Takes a place for a long reply.
   * @param {(version: string) => Promise<Pick<Export, 'pieces' | 'count'>>} start
   * @returns {Promise<Export>}
   * @throws {import('../core/errors').Problem} 503 also while all places are taken
   */
  async hold(start) {
    this.#admit();
    if (this.#places === 0) throw overloaded('This worker has as many exports in progress as it takes.');
    this.#places -= 1;
    const release = () => void (this.#places += 1);
    try {
      const version = String(this.#version.current);
      return { version, ...(await start(version)), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Its stamp is that of now: a replica that is behind it must not answer with the catalog before.
   * @param {View} view @param {number} afterId @returns {Promise<Piece>} of one load
   */
  async #read(view, afterId) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const stamp = this.#version.lists.stampOf(view === 'full' ? FULL_INCLUDE : '');
      const piece = await this.#database.exportPiece(view, afterId, rowsOf(view), stamp);
      if (!piece.mixed) return piece;
    }
    throw replaced();
  }

  /** @param {string} version @param {View} view @param {Piece} first @param {{ count: number }} sent */
  async *#pieces(version, view, first, sent) {
    let last = null;
    let changed = false;
    for (let piece = first; piece.lastId !== null;) {
      last = piece.lastId;
      sent.count += piece.count;
      changed ||= piece.loadId !== first.loadId || piece.changedSeq !== first.changedSeq;
      yield piece.lines;
      if (piece.count < rowsOf(view)) break;
      piece = await this.#read(view, last);
    }
    changed ||= this.#version.current !== version;
    yield Buffer.from(`${JSON.stringify({ end: { count: sent.count, last, catalog_version: version, changed } })}\n`);
  }
}

exports.Exports = Exports;
