'use strict';
const { defectsOf, isRejected } = require('./defects');
const { hash } = require('./random');
const { idOf } = require('./tables');
/** @import { Edition, Table } from './tables' */
/** @import { Defect, Outcome, Rule } from './defects' */

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

  /** @param {string[]} fields of a row that begins @returns {string[]} with those of fields.json */
  whole(fields) {
    return this.table.more ? [...fields, ...this.table.more(this.ordinal)] : fields;
  }

  /**
   * @param {string[]} fields in the canonical order, written as CSV
   * @param {boolean} _parentLoaded whether the rows that it refers to will be loaded
   * @returns {boolean} whether the row will be loaded
   */
  row(fields, _parentLoaded) {
    this.text += this.whole(fields).join(',') + '\n';
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

  /** @override @param {string[]} given @param {boolean} parentLoaded */
  row(given, parentLoaded) {
    const canonical = this.whole(given);
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

module.exports = { CsvFile, DirtyFile };
