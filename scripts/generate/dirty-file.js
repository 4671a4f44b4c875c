'use strict';
const { CsvFile } = require('./csv-file');
const { defectsOf, isRejected } = require('./defects');
const { hash } = require('./random');
/** @import { Defect, Outcome } from './defects' */
/** @import { Table } from './tables' */

/** Loaders cut files at powers of two, so each row that crosses a multiple of this gets a harmless defect. */
const edgeBytes = 64 * 1024;
/** Rows for each defect, so that no file loses 1 % of its rows: rejected products and styles take their rows along. */
const maxStride = { product: 1000, styles: 1000, photos: 500, skus: 500, features: 500, related: 500 };
const minStride = 6;
/** The next line decides what an open quote means, so it must be sound. */
const soundRowsBetween = 3;

/** A file with the defects of defects.js. Their places depend only on the seed and the ordinal of the row. */
class DirtyFile extends CsvFile {
  /** @param {Table} table @param {number} seed @param {number} products */
  constructor(table, seed, products) {
    super(table, table.dirty);
    this.order = table.dirty.order ?? table.columns.map((_, n) => n);
    this.endless = table.dirty.endless ?? false;
    this.defects = defectsOf(table);
    this.harmless = this.defects.filter((one) => !isRejected(one.outcome) && !one.repeat);
    this.seed = hash(seed, table.columns.length + table.file.length * 31);
    const rounds = table.parent ? 2 : 1;
    const fitting = Math.floor((products * table.perProduct) / (rounds * this.defects.length + 2));
    this.stride = Math.max(minStride, Math.min(maxStride[table.name], fitting));
    /** The rows before are the edges of the contract and stay unchanged. */
    this.start = Infinity;
    this.placed = 0;
    this.position = Buffer.byteLength(this.text);
    /** The last multiple of edgeBytes with a defect: after a shortened row, the next one would cross it again. */
    this.edge = 0;
    this.separator = '';
    /** @type {string[][]} */
    this.repeatAtEnd = [];
  }

  /** @override */
  allowDefects() {
    this.start = this.ordinal;
  }

  /** @param {number} ordinal */
  #isDefective(ordinal) {
    const since = ordinal - this.start;
    if (!(since >= 0)) return false;
    const place = hash(this.seed, Math.floor(since / this.stride)) % (this.stride - soundRowsBetween);
    return since % this.stride === place;
  }

  /**
   * Works for rows that are not yet written, but only in product.csv, which has no orphans.
   * @override @param {number} ordinal
   */
  isRejected(ordinal) {
    if (!this.#isDefective(ordinal)) return false;
    const place = Math.floor((ordinal - this.start) / this.stride);
    return isRejected(this.defects[place % this.defects.length].outcome);
  }

  /** @override @param {string[]} canonical @param {boolean} parentLoaded */
  row(canonical, parentLoaded) {
    const fields = this.order.map((column) => canonical[column]);
    const ordinal = this.ordinal;
    this.ordinal += 1;
    if (!parentLoaded) return this.#line(fields.join(','), 'orphan');
    const defect = this.#choose(ordinal, fields);
    if (!defect) return this.#line(fields.join(','), 'loaded');
    if (defect.rule) this.repairs[defect.rule] = (this.repairs[defect.rule] ?? 0) + 1;
    const loaded = this.#line(defect.apply(fields, ordinal).join(','), defect.outcome, defect.bytes);
    if (defect.repeat === 'near') this.#repeat(fields);
    if (defect.repeat === 'far') this.repeatAtEnd.push(fields);
    return loaded;
  }

  /** @param {number} ordinal @param {string[]} fields @returns {Defect | undefined} */
  #choose(ordinal, fields) {
    if (ordinal === 0) return this.defects[0];
    if (this.#isDefective(ordinal)) {
      this.placed += 1;
      return this.defects[(this.placed - 1) % this.defects.length];
    }
    const end = this.position + Buffer.byteLength(fields.join(',')) + this.lineEnd.length;
    const edge = Math.floor(end / edgeBytes);
    if (edge <= this.edge || this.#isDefective(ordinal - 1) || this.#isDefective(ordinal + 1)) {
      return undefined;
    }
    this.edge = edge;
    return this.harmless[hash(this.seed, end) % this.harmless.length];
  }

  /**
   * @param {string} line @param {Outcome} outcome @param {Buffer} [tail]
   * @returns {boolean} whether the row will be loaded
   */
  #line(line, outcome, tail) {
    const text = this.separator + line;
    this.separator = this.lineEnd;
    this.text += text;
    this.position += Buffer.byteLength(text) + (tail?.length ?? 0);
    if (tail) this.add(tail);
    this.rows += 1;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    return !isRejected(outcome);
  }

  /** The repeated row differs, so that a test can tell which of the two stayed. @param {string[]} fields */
  #repeat(fields) {
    const last = fields[fields.length - 1];
    this.#line(fields.with(-1, last.startsWith('"') ? '"duplicate"' : '1').join(','), 'duplicate');
  }

  /** @override */
  end() {
    for (const fields of this.repeatAtEnd) this.#repeat(fields);
    if (!this.endless) this.text += this.lineEnd;
  }
}

module.exports = { DirtyFile };
