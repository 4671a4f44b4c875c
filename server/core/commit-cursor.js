'use strict';

const CURSOR = /^(\d{1,10})\.(\d{1,15})(?:\.(\d{1,9}))?$/;

/**
 * A place in the log of changes, `ERA.SEQ` or `ERA.SEQ.INDEX`: after a commit, or after one of its changes, which count from 0. db/writes/commit.sql
 * writes it, too: only that statement knows the number.
 * @typedef {{ era: number, seq: number, index: number | null }} Cursor
 */

/** @param {string} text @returns {Cursor | null} null for anything else */
function cursorIn(text) {
  const [, era, seq, index] = CURSOR.exec(text) ?? [];
  return era === undefined
    ? null
    : { era: Number(era), seq: Number(seq), index: index === undefined ? null : Number(index) };
}

/** @param {{ era: number, seq: number | string, index?: number | null }} cursor without an index: after the commit */
const cursorText = ({ era, seq, index = null }) => (index === null ? `${era}.${seq}` : `${era}.${seq}.${index}`);

exports.cursorIn = cursorIn;
exports.cursorText = cursorText;
