'use strict';

const { cjkRangeEnd, isCjk } = require('./words');

/** A word so long may have one typo, or two. */
const ONE_TYPO_LENGTH = 5;
const TWO_TYPOS_LENGTH = 9;
/** A walk that looks at so many words of the dictionary takes well below a millisecond. */
const SLICE_WORDS = 4000;

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/** @typedef {{ distance: 0 | 1 | 2, words: number[] }} Nearest indexes in the dictionary; distance 0: none */

/** @param {string} word @returns {0 | 1 | 2} typos that it may have */
function allowedTypos(word) {
  const length = [...word].length;
  if (length < ONE_TYPO_LENGTH || isCjk(word) || /\p{N}/u.test(word)) return 0;
  return length < TWO_TYPOS_LENGTH ? 1 : 2;
}

/**
 * The other words of the dictionary that are nearest to a word: all within one typo, or else within two.
 * A typo is a letter too many, too few or replaced, or two neighbours swapped (optimal string alignment).
 * @param {Dictionary} dictionary @param {string} word @param {() => Promise<void>} pause called between parts of the work
 * @returns {Promise<Nearest>}
 */
async function nearestWords(dictionary, word, pause) {
  const allowed = allowedTypos(word);
  for (const distance of /** @type {const} */ ([1, 2])) {
    if (distance > allowed) break;
    const words = await new Walk(dictionary, word, distance).run(pause);
    if (words.length > 0) return { distance, words };
  }
  return { distance: 0, words: [] };
}

/**
 * Goes through the dictionary as through a tree of prefixes. A row of distances belongs to each code point of the current word,
 * and words with a common prefix share its rows. Once a prefix is too far away, all words that begin with it are skipped.
 */
class Walk {
  #dictionary;
  #distance;
  #wanted;
  #width;
  /** @type {number[]} the prefix whose rows are known */
  #prefix = [];
  /** @type {Uint8Array[]} row d: distances between the first d code points of the prefix and each beginning of the wanted word */
  #rows;

  /** @param {Dictionary} dictionary @param {string} word @param {1 | 2} distance */
  constructor(dictionary, word, distance) {
    this.#dictionary = dictionary;
    this.#distance = distance;
    this.#wanted = Array.from(word, (character) => /** @type {number} */ (character.codePointAt(0)));
    this.#width = this.#wanted.length + 1;
    this.#rows = [Uint8Array.from({ length: this.#width }, (_, index) => index)];
  }

  /** @param {() => Promise<void>} pause @returns {Promise<number[]>} indexes of words */
  async run(pause) {
    const found = [];
    const { length, counts } = this.#dictionary;
    for (let index = 0, looks = 1; index < length; looks += 1) {
      if (looks % SLICE_WORDS === 0) await pause();
      const next = this.#next(index);
      if (next === index) {
        const distance = this.#rows[this.#prefix.length][this.#width - 1];
        if (distance > 0 && distance <= this.#distance && counts.a[index] > 0) found.push(index);
        index += 1;
      } else {
        index = next;
      }
    }
    return found;
  }

  /** Computes the rows of a word. @param {number} index @returns {number} the word itself, or a later one when it is too far away */
  #next(index) {
    const { bytes, starts } = this.#dictionary;
    const start = starts[index];
    const end = starts[index + 1];
    let depth = 0;
    for (let at = start; at < end; depth += 1) {
      const code = codePointAt(bytes, at);
      at += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (this.#prefix[depth] === code) continue;
      const cjkEnd = depth === 0 ? cjkRangeEnd(code) : -1;
      if (cjkEnd >= 0) return this.#dictionary.lowerBound(Buffer.from(String.fromCodePoint(cjkEnd + 1)));
      this.#prefix.length = depth;
      if (this.#append(code)) return this.#dictionary.behind(index, at - start);
    }
    this.#prefix.length = depth;
    return index;
  }

  /** Adds a code point to the prefix. @param {number} code @returns {boolean} whether nothing that begins so can be near enough */
  #append(code) {
    const depth = this.#prefix.push(code);
    const above = this.#rows[depth - 1];
    const row = (this.#rows[depth] ??= new Uint8Array(this.#width));
    const wanted = this.#wanted;
    let least = (row[0] = depth);
    for (let column = 1; column < this.#width; column += 1) {
      const replaced = above[column - 1] + (wanted[column - 1] === code ? 0 : 1);
      let distance = Math.min(replaced, above[column] + 1, row[column - 1] + 1);
      if (depth > 1 && column > 1 && wanted[column - 2] === code && wanted[column - 1] === this.#prefix[depth - 2]) {
        distance = Math.min(distance, this.#rows[depth - 2][column - 2] + 1);
      }
      row[column] = distance;
      if (distance < least) least = distance;
    }
    return least > this.#distance;
  }
}

/** @param {Uint8Array} bytes UTF-8 @param {number} at @returns {number} */
function codePointAt(bytes, at) {
  const lead = bytes[at];
  if (lead < 0x80) return lead;
  const second = bytes[at + 1] & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2] & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3] & 0x3f);
}

exports.allowedTypos = allowedTypos;
exports.nearestWords = nearestWords;
