'use strict';

const { cursorText } = require('../../http/commit-cursor');

/** @typedef {import('../../http/commit-cursor').Cursor} Cursor */
/**
 * @typedef {object} Row of db/writes/changes.sql: changes of a commit
 * @property {string} seq
 * @property {Date} at
 * @property {number} load_id
 * @property {boolean} is_load whether products changed by a load, which has no revisions
 * @property {boolean} is_whole
 * @property {number[]} ends of its lists but the last one
 * @property {number} first place of the first of `ids`
 * @property {string} ids by comma
 * @property {boolean} is_cut whether the commit has more of them
 * @property {Record<string, { revision: number, paths: string[], actor: string }> | null} revisions by product
 */
/** @typedef {{ cursor: string, kind: string, json: string }} Change */

/** In the order of the lists of a commit. */
const KINDS = ['product.created', 'product.updated', 'product.deleted', 'stock.changed'];

/** Changes that follow each other in the log. */
class Piece {
  /** @type {Buffer | null} */
  #events = null;

  /** @param {Change[]} changes @param {Cursor} next */
  constructor(changes, next) {
    this.changes = changes;
    /** After the last of them, or after later commits that changed nothing. */
    this.next = next;
  }

  /** As server-sent events. Made once, for all readers of the piece. */
  get events() {
    return (this.#events ??= Buffer.from(
      this.changes.map(({ cursor, kind, json }) => `id: ${cursor}\nevent: ${kind}\ndata: ${json}\n\n`).join(''),
    ));
  }

  /** @param {number} era @param {Row[]} rows at least one */
  static of(era, rows) {
    const changes = rows.flatMap((row) => changesOf(era, row));
    const { seq, first, ids, is_cut: isCut } = /** @type {Row} */ (rows.at(-1));
    const index = isCut ? first + ids.split(',').length - 1 : null;
    return new Piece(changes, { era, seq: Number(seq), index });
  }
}

/** @param {number} era @param {Row} row @returns {Change[]} */
function changesOf(era, row) {
  const [seq, at] = [Number(row.seq), row.at.toISOString()];
  const load = row.is_load ? { load_id: row.load_id } : {};
  const change = (/** @type {string} */ kind, /** @type {number} */ index, /** @type {object} */ more) => {
    const cursor = cursorText({ era, seq, index });
    return { cursor, kind, json: JSON.stringify({ cursor, kind, ...more, at, ...load }) };
  };
  if (row.is_whole) return row.first === 0 ? [change('catalog.replaced', 0, {})] : [];
  return (row.ids === '' ? [] : row.ids.split(',')).map((id, place) => {
    const index = row.first + place;
    const kind = KINDS.at(row.ends.findIndex((end) => index < end)) ?? '';
    return change(kind, index, { product: Number(id), ...row.revisions?.[id] });
  });
}

exports.Piece = Piece;
