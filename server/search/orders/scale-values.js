'use strict';

const { damaged } = require('../sets/damaged');
const { firstThat } = require('./ids');

const TAB = 9;
const LINE_FEED = 10;
const BANDS = 10;
/** Lines that are read between two looks at the clock. */
const PARSE_LINES = 10_000;

/** @typedef {(a: string, b: string) => number} Compare two values, as for a sort */

/** The different values of a scale, ascending, each with its first rank. Texts are ASCII. */
class ScaleValues {
  #compare;
  #bytes;
  /** The beginning of each text, and the end of the last one. */
  #starts;
  /** The first rank of each value, and the number of all ranks. */
  #firsts;
  length = 0;

  /** @param {Compare} compare @param {number} values and @param {number} bytes of their texts, at most */
  constructor(compare, values, bytes) {
    this.#compare = compare;
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
    this.#starts = new Int32Array(values + 1);
    this.#firsts = new Int32Array(values + 1);
  }

  /**
   * @param {Buffer} body lines `VALUE<TAB>first rank<LF>`, ascending
   * @param {{ name: string, ranks: number, compare: Compare, pause: () => Promise<void> }} options `name` of the blob
   */
  static async parse(body, { name, ranks, compare, pause }) {
    const made = new ScaleValues(compare, Math.min(ranks, body.length), body.length);
    for (let start = 0; start < body.length;) {
      const tab = body.indexOf(TAB, start);
      const end = body.indexOf(LINE_FEED, start);
      if (tab < 0 || end < tab || made.length === ranks) throw damaged(name); // else this loop would not end, or not fit
      made.#firsts[made.length] = Number(body.toString('latin1', tab + 1, end));
      made.#addText(body, start, tab);
      start = end + 1;
      if (made.length % PARSE_LINES === 0) await pause();
    }
    made.#firsts[made.length] = ranks;
    return made.#trimmed();
  }

  /** The value of a rank. @param {number} rank @returns {string} */
  at(rank) {
    return this.#text(this.#lineOf(rank));
  }

  /** The value behind that of a rank. @param {number} rank @returns {string | undefined} */
  behind(rank) {
    const line = this.#lineOf(rank) + 1;
    return line < this.length ? this.#text(line) : undefined;
  }

  /**
   * The ranks whose values are within bounds.
   * @param {string | null} min @param {string | null} max both included; null: no bound
   * @returns {{ from: number, to: number }} `to` is behind the last
   */
  ranksWithin(min, max) {
    const from = min === null ? 0 : this.#lineFrom(min);
    const to = max === null ? this.length : this.#firstThat((value) => this.#compare(value, max) > 0);
    return { from: this.#firsts[from], to: this.#firsts[to] };
  }

  /** The values after a write. @param {{ value: string, more: number }[]} changes ascending, one a value: ranks more */
  changed(changes) {
    const added = changes.reduce((sum, { value }) => sum + value.length, 0);
    const made = new ScaleValues(this.#compare, this.length + changes.length, this.#starts[this.length] + added);
    let from = 0;
    for (const { value, more } of changes) {
      const line = this.#lineFrom(value);
      made.#append(this, from, line);
      const isKnown = line < this.length && this.#compare(this.#text(line), value) === 0;
      const count = more + (isKnown ? this.#firsts[line + 1] - this.#firsts[line] : 0);
      if (count > 0) made.#add(value, count);
      from = line + Number(isKnown);
    }
    made.#append(this, from, this.length);
    return made;
  }

  /** @returns {number[]} ranks where ten bands of about as many products begin, and the end; equal values are in one band */
  bandEdges() {
    const ranks = this.#firsts[this.length];
    const tenths = Array.from({ length: BANDS }, (_, band) => Math.floor((band * ranks) / BANDS));
    const starts = ranks === 0 ? [] : tenths.map((rank) => this.#firsts[this.#lineOf(rank)]);
    return [...new Set([...starts, ranks])];
  }

  /** Without what it does not use. */
  #trimmed() {
    this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#starts[this.length]));
    this.#starts = this.#starts.slice(0, this.length + 1);
    this.#firsts = this.#firsts.slice(0, this.length + 1);
    return this;
  }

  /** @param {Buffer} source @param {number} from @param {number} to behind the text */
  #addText(source, from, to) {
    const line = this.length++;
    this.#starts[line + 1] = this.#starts[line] + source.copy(this.#bytes, this.#starts[line], from, to);
  }

  /** @param {string} value @param {number} count of its ranks */
  #add(value, count) {
    const text = Buffer.from(value);
    this.#addText(text, 0, text.length);
    this.#firsts[this.length] = this.#firsts[this.length - 1] + count;
  }

  /** @param {ScaleValues} other @param {number} from first line of it @param {number} to behind the last */
  #append(other, from, to) {
    const [byte, rank] = [this.#starts[this.length], this.#firsts[this.length]];
    other.#bytes.copy(this.#bytes, byte, other.#starts[from], other.#starts[to]);
    for (let line = from; line < to; line += 1) {
      this.length += 1;
      this.#starts[this.length] = other.#starts[line + 1] - other.#starts[from] + byte;
      this.#firsts[this.length] = other.#firsts[line + 1] - other.#firsts[from] + rank;
    }
  }

  /** @param {number} line */
  #text(line) {
    return this.#bytes.toString('latin1', this.#starts[line], this.#starts[line + 1]);
  }

  /** @param {number} rank */
  #lineOf(rank) {
    let [low, high] = [0, this.length];
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.#firsts[middle] <= rank) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The first line that is not below a value. @param {string} value */
  #lineFrom(value) {
    return this.#firstThat((each) => this.#compare(each, value) >= 0);
  }

  /** @param {(value: string) => boolean} test holds from some value on @returns {number} its line */
  #firstThat(test) {
    return firstThat(this.length, (line) => test(this.#text(line)));
  }
}

exports.ScaleValues = ScaleValues;
