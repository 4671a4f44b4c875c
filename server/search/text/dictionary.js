'use strict';

const { damaged } = require('../sets/damaged');

const TAB = 9;
const LINE_FEED = 10;
const ZERO = 48;
/** The shortest line has this many bytes beside its word: three tabs, three digits, a line feed. */
const MIN_REST_BYTES = 7;
const PARSE_LINES = 20_000;

/** @typedef {'n' | 'm' | 'a'} WordClass words of the name; of name, category, features and styles; of all texts */
/** @typedef {{ from: number, to: number }} Range of words, `to` is behind the last */

/** All words of the catalog by their bytes, with the number of products that have them. One buffer: no object a word. */
class Dictionary {
  /** @type {Record<WordClass, Uint32Array>} products that have a word, by its index */
  counts;

  /** @param {number} length @param {number} bytes of all words, at most */
  constructor(length, bytes) {
    this.length = length;
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.starts = new Uint32Array(length + 1);
    this.counts = { n: new Uint32Array(length), m: new Uint32Array(length), a: new Uint32Array(length) };
  }

  /**
   * @param {Buffer} body lines `WORD<TAB>n<TAB>m<TAB>a<LF>`, by the bytes of the words
   * @param {() => Promise<void>} pause called between parts of the work
   */
  static async parse(body, pause) {
    let lines = 0;
    for (let at = 0; at < body.length; at += 1) if (body[at] === LINE_FEED) lines += 1;
    const dictionary = new Dictionary(lines, Math.max(0, body.length - MIN_REST_BYTES * lines));
    let end = 0;
    for (let line = 0; line < lines; line += PARSE_LINES) {
      await pause();
      end = dictionary.#parseLines(body, end, line, Math.min(line + PARSE_LINES, lines));
    }
    if (end !== body.length) throw damaged('words');
    return dictionary;
  }

  /** @param {string} word @returns {number} its index; -1: no product has it */
  find(word) {
    const bytes = Buffer.from(word);
    const index = this.lowerBound(bytes);
    return index < this.length && this.#compare(index, bytes) === 0 ? index : -1;
  }

  /** The words that begin with a text. @param {string} prefix @returns {Range} */
  beginningWith(prefix) {
    const bytes = Buffer.from(prefix);
    const from = this.lowerBound(bytes);
    const some = from < this.length && this.#beginsWith(from, bytes, 0, bytes.length);
    return { from, to: some ? this.behind(from, bytes.length) : from };
  }

  /** The first word that is not before some bytes. @param {Uint8Array} bytes */
  lowerBound(bytes) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, bytes) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * The first word behind all that begin like a word. The steps double: it is mostly near.
   * @param {number} index of the word @param {number} length of its beginning, in bytes
   */
  behind(index, length) {
    const start = this.starts[index];
    let [low, step] = [index, 1];
    while (low + step < this.length && this.#beginsWith(low + step, this.bytes, start, length)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#beginsWith(middle, this.bytes, start, length)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {Range} range @param {number} limit @returns {number[]} indexes of the words in most products, descending */
  mostFrequent({ from, to }, limit) {
    /** @type {number[]} */
    const best = [];
    const { a } = this.counts;
    for (let index = from; index < to; index += 1) {
      if (best.length === limit && a[index] <= a[best[limit - 1]]) continue;
      const at = best.findIndex((other) => a[other] < a[index]);
      best.splice(at < 0 ? best.length : at, 0, index);
      best.length = Math.min(best.length, limit);
    }
    return best;
  }

  /** @param {number} index @returns {string} */
  word(index) {
    return this.bytes.toString('utf8', this.starts[index], this.starts[index + 1]);
  }

  /** @param {number} index @param {Uint8Array} bytes @returns {number} below, above or 0, as for a sort */
  #compare(index, bytes) {
    return this.bytes.compare(bytes, 0, bytes.length, this.starts[index], this.starts[index + 1]);
  }

  /** @param {number} index @param {Uint8Array} bytes @param {number} from where the beginning is in `bytes` @param {number} length */
  #beginsWith(index, bytes, from, length) {
    const start = this.starts[index];
    if (this.starts[index + 1] - start < length) return false;
    for (let at = 0; at < length; at += 1) if (this.bytes[start + at] !== bytes[from + at]) return false;
    return true;
  }

  /** @param {Buffer} body @param {number} start @param {number} line first line @param {number} end behind the last line */
  #parseLines(body, start, line, end) {
    let at = start;
    let used = this.starts[line];
    for (let index = line; index < end; index += 1) {
      while (at < body.length && body[at] !== TAB) this.bytes[used++] = body[at++];
      this.starts[index + 1] = used;
      for (const numbers of [this.counts.n, this.counts.m, this.counts.a]) {
        let number = 0;
        for (at += 1; body[at] >= ZERO; at += 1) number = number * 10 + body[at] - ZERO;
        numbers[index] = number;
      }
      at += 1;
    }
    return at;
  }
}

exports.Dictionary = Dictionary;
