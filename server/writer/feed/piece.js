'use strict';

const { cursorText } = require('../../core/commit-cursor');

/** @typedef {import('../../core/commit-cursor').Cursor} Cursor */
/**
 * @typedef {object} Row of db/writes/changes.sql: changes of a commit
 * @property {string} seq
 * @property {string} at
 * @property {'load' | 'unswap' | 'content' | 'stock'} kind
 * @property {number} load_id
 * @property {boolean} is_whole
 * @property {number} created place where the created products end
 * @property {number} updated
 * @property {number} deleted
 * @property {number} first place of the first of `ids`
 * @property {string} ids by comma
 * @property {boolean} is_cut whether the commit has more of them
 */
/** @typedef {{ cursor: string, kind: string, json: string }} Change */

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

  /** @param {number} era @param {Row[]} rows at least one @param {Map<string, string>} revisions members of changes, by `seq/product` */
  static of(era, rows, revisions) {
    const changes = rows.flatMap((row) => changesOf(era, row, revisions));
    const { seq, first, ids, is_cut: isCut } = /** @type {Row} */ (rows.at(-1));
    const index = isCut ? first + ids.split(',').length - 1 : null;
    return new Piece(changes, { era, seq: Number(seq), index });
  }
}

/** @param {number} era @param {Row} row @param {Map<string, string>} revisions @returns {Change[]} */
function changesOf(era, row, revisions) {
  const { seq, at, first } = row;
  const isLoad = row.kind === 'load' || row.kind === 'unswap';
  const end = `"at":"${at}"${isLoad ? `,"load_id":${row.load_id}` : ''}}`;
  const change = (/** @type {string} */ kind, /** @type {number} */ index, /** @type {string} */ members) => {
    const cursor = cursorText({ era, seq, index });
    return { cursor, kind, json: `{"cursor":"${cursor}","kind":"${kind}",${members}${end}` };
  };
  if (row.is_whole) return first === 0 ? [change('catalog.replaced', 0, '')] : [];
  return (row.ids === '' ? [] : row.ids.split(',')).map((id, place) => {
    const more = row.kind === 'content' ? (revisions.get(`${seq}/${id}`) ?? '') : '';
    return change(kindAt(row, first + place), first + place, `"product":${id},${more}`);
  });
}

/** @param {Row} row @param {number} index */
function kindAt({ created, updated, deleted }, index) {
  if (index < created) return 'product.created';
  if (index < updated) return 'product.updated';
  return index < deleted ? 'product.deleted' : 'stock.changed';
}

/** The body of a reply of /changes. @param {Change[]} changes @param {string} next @param {string} head both cursors */
const changesText = (changes, next, head) =>
  `{"changes":[${changes.map(({ json }) => json).join(',')}],"next":"${next}","head":"${head}"}`;

exports.Piece = Piece;
exports.changesText = changesText;
