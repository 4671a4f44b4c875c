'use strict';
const { idOf } = require('./tables');
/** @import { Edition, Table } from './tables' */
/** @import { Outcome, Rule } from './defects' */

/** @param {string} text @returns {string} as a quoted CSV field */
const quote = (text) => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

/** Collects rows until they are taken, and counts them as the loader should. */
class CsvFile {
  /** @param {Table} table @param {Edition} edition */
  constructor(table, edition) {
    this.table = table;
    this.lineEnd = edition.lineEnd ?? '\n';
    /** @type {Buffer[]} */
    this.full = [];
    this.text = (edition.mark ?? '') + (edition.header && edition.header + this.lineEnd);
    /** Rows of the catalog so far, without repeated ones. */
    this.ordinal = 0;
    this.rows = 0;
    this.bytes = 0;
    /** @type {Partial<Record<Outcome, number>>} */
    this.outcomes = {};
    /** @type {Partial<Record<Rule, number>>} */
    this.repairs = {};
  }

  /** @param {number} [ahead] @returns {number} the id of the next row, or of a later one */
  id(ahead = 0) {
    return idOf(this.table, this.ordinal + ahead);
  }

  /**
   * @param {string[]} fields in the canonical order, written as CSV
   * @param {boolean} _parentLoaded whether the rows that it refers to will be loaded
   * @returns {boolean} whether the row will be loaded
   */
  row(fields, _parentLoaded) {
    this.text += fields.join(',') + '\n';
    this.ordinal += 1;
    this.rows += 1;
    return true;
  }

  /** From here on a dirty file has defects. */
  allowDefects() {}

  /** @param {number} _ordinal of a row, perhaps not yet written */
  isRejected(_ordinal) {
    return false;
  }

  /** @param {Buffer} bytes */
  add(bytes) {
    if (this.text) this.full.push(Buffer.from(this.text));
    this.text = '';
    this.full.push(bytes);
  }

  /** @returns {Buffer} the bytes since the last call */
  take() {
    this.add(Buffer.alloc(0));
    const bytes = this.full.length === 2 ? this.full[0] : Buffer.concat(this.full);
    this.full = [];
    this.bytes += bytes.length;
    return bytes;
  }

  /** Nothing may be written after it. */
  end() {}

  /**
   * @returns {{ rows: number, bytes: number, loaded: number, repaired: number, repairs: Record<string, number>,
   *   rejected: Record<string, number> }}
   */
  summary() {
    const { loaded = this.rows, repaired = 0, ...rejected } = this.outcomes;
    return { rows: this.rows, bytes: this.bytes, loaded, repaired, repairs: this.repairs, rejected };
  }
}

module.exports = { CsvFile, quote };
