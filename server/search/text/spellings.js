'use strict';

const { damaged } = require('../sets/damaged');

const TAB = 9;
const LINE_FEED = 10;

/** How texts of the catalog write a word, mostly: `Gore™` for gore. One buffer: no object a word. */
class Spellings {
  #body;
  /** @type {Uint32Array} where each line begins */
  #starts;

  /** @param {Buffer} body lines `WORD<TAB>WRITTEN<LF>`, by the bytes of the words: those that are written otherwise than folded */
  constructor(body) {
    if (body.length > 0 && body[body.length - 1] !== LINE_FEED) throw damaged('spellings');
    this.#body = Buffer.from(body); // a part of a reply would keep all of it
    let lines = 0;
    for (let at = 0; at < body.length; at += 1) if (body[at] === LINE_FEED) lines += 1;
    this.#starts = new Uint32Array(lines);
    for (let line = 1, at = 0; line < lines; at += 1) if (body[at] === LINE_FEED) this.#starts[line++] = at + 1;
  }

  /** @param {string} word folded @returns {string} the word itself where texts write it so, and when a write brought it */
  of(word) {
    const bytes = Buffer.from(`${word}\t`);
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, bytes) < 0) low = middle + 1;
      else high = middle;
    }
    if (low === this.#starts.length || this.#compare(low, bytes) !== 0) return word;
    const from = this.#starts[low] + bytes.length;
    return this.#body.toString('utf8', from, this.#body.indexOf(LINE_FEED, from));
  }

  /** A tab is below all bytes of words, so lines with it are in the order of the words. @param {number} line @param {Buffer} bytes */
  #compare(line, bytes) {
    const start = this.#starts[line];
    const end = this.#body.indexOf(TAB, start) + 1;
    return this.#body.compare(bytes, 0, bytes.length, start, end);
  }
}

exports.Spellings = Spellings;
