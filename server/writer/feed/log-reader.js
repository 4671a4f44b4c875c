'use strict';

const { LRUCache } = require('lru-cache');

const { Problem } = require('../../core/errors');
const { WRITE_PROBLEMS } = require('../errors');
const statements = require('../database/statements');
const { Piece } = require('./piece');

/** @typedef {import('../../core/commit-cursor').Cursor} Cursor @typedef {{ era: number, seq: number }} Head the last commit */

/** Changes of pieces that are kept, for readers that follow each other: 10 MB, as a change has up to a few hundred bytes. */
const MAX_KEPT_CHANGES = 20_000;

/** Reads the log for all readers of the feed. Those who want the same at once share one query. */
class LogReader {
  #read;
  /** @type {LRUCache<string, Promise<Piece>>} */
  #pieces = new LRUCache({ maxSize: MAX_KEPT_CHANGES });
  /** @type {Promise<unknown>} */
  #lastPiece = Promise.resolve();
  /** @type {Promise<unknown>} */
  #lastHead = Promise.resolve();
  /** @type {Promise<Head> | null} */
  #nextHead = null;

  /** @param {import('../database/writer-database').WriterDatabase['read']} read */
  constructor(read) {
    this.#read = read;
  }

  /** The last commit, by a query that begins after the call: its caller sees what it has written. */
  head() {
    this.#nextHead ??= after(this.#lastHead, async () => {
      this.#nextHead = null;
      const reading = this.#read(statements.logHead);
      this.#lastHead = reading;
      const [{ era, seq }] = await reading;
      return { era, seq: Number(seq) };
    });
    return this.#nextHead;
  }

  /**
   * @param {Cursor} from of the era of `head` @param {number} limit of changes @param {Head} head no later commits are read
   * @returns {Promise<Piece>}
   * @throws {Problem} 410 when the log does not reach back so far
   */
  piece(from, limit, head) {
    if (from.index === null && from.seq === head.seq) return Promise.resolve(new Piece([], from));
    const key = [from.era, from.seq, from.index, limit, head.seq].join();
    let piece = this.#pieces.get(key);
    if (!piece) {
      // One by one: the keys of requests are read on the same connection.
      piece = after(this.#lastPiece, () => this.#readPiece(from, limit, head));
      this.#lastPiece = piece;
      this.#pieces.set(key, piece, { size: limit });
      piece.catch(() => this.#pieces.delete(key));
    }
    return piece;
  }

  /** @param {Cursor} from @param {number} limit @param {Head} head */
  async #readPiece({ era, seq, index }, limit, head) {
    const [first, skip] = index === null ? [seq + 1, 0] : [seq, index + 1];
    const rows = await this.#read(statements.changes, [first, skip, limit, head.seq, era]);
    if (rows.length === 0)
      throw new Problem(
        WRITE_PROBLEMS.cursorExpired,
        'Changes are kept for 7 days. Read the catalog again: take next of /changes?after=head, then /export, then follow next.',
      );
    const hasRevisions = rows.some(({ kind }) => kind === 'content');
    const revisions = hasRevisions ? await this.#read(statements.changeRevisions, [first, rows.at(-1).seq]) : [];
    return Piece.of(era, rows, new Map(revisions.map(({ change, members }) => [change, members])));
  }
}

/** @template T @param {Promise<unknown>} before also when it fails @param {() => Promise<T>} work @returns {Promise<T>} */
const after = (before, work) => before.then(work, work);

exports.LogReader = LogReader;
