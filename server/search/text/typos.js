'use strict';

const { unspacedRangeEnd, isUnspaced } = require('../../client/words.js');

/** A walk that looks at so many words of the dictionary takes well below a millisecond. */
const SLICE_WORDS = 4000;

/**
 * Goes through the dictionary as through a tree of prefixes. A row of distances belongs to each code point of the current word,
 * and words with a common prefix share its rows. Once a prefix is too far away, all words that begin with it are skipped.
 */
class Walk {
  #dictionary;
  #distance;
  #leastLength;
  #wanted;
  /** @type {number[]} the prefix whose rows are known */
  #prefix = [];
  /**
   * Row d: distances between the first d code points of the prefix and each beginning of the wanted word. Only beginnings whose
   * length differs from d by at most the distance are computed: others are too far away, as every cell of a new row says.
   * @type {Uint8Array[]}
   */
  #rows;
  /** @type {boolean[]} whether one of the first d beginnings of the prefix is near enough to the whole wanted word */
  #isNear = [false];

  /**
   * @param {import('./dictionary').Dictionary} dictionary @param {string} word
   * @param {{ distance: 1 | 2, leastLength: number }} limits code points that one of the two must have
   */
  constructor(dictionary, word, { distance, leastLength }) {
    this.#dictionary = dictionary;
    this.#distance = distance;
    this.#leastLength = leastLength;
    this.#wanted = Array.from(word, (character) => /** @type {number} */ (character.codePointAt(0)));
    this.#rows = [Uint8Array.from({ length: this.#wanted.length + 1 }, (_, index) => Math.min(index, distance + 1))];
  }

  /** @param {import('./dictionary').Range} range of words @param {() => Promise<void>} pause @returns {Promise<{ words: number[], beginnings: number[] }>} near as a whole, or only in a beginning */
  async run({ from, to }, pause) {
    /** @type {number[]} */
    const words = [];
    /** @type {number[]} */
    const beginnings = [];
    for (let index = from, looks = 1; index < to; looks += 1) {
      if (looks % SLICE_WORDS === 0) await pause();
      const next = this.#next(index);
      const depth = this.#prefix.length;
      const end = Math.max(next, index + 1);
      if (next === index && this.#matches(depth)) words.push(index);
      else if (this.#isNear[depth]) for (let each = index; each < end; each += 1) beginnings.push(each);
      index = end;
    }
    return { words, beginnings };
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
      this.#prefix.length = depth;
      const cjkEnd = depth === 0 ? unspacedRangeEnd(code) : -1;
      if (cjkEnd >= 0) return this.#dictionary.lowerBound(Buffer.from(String.fromCodePoint(cjkEnd + 1)));
      if (this.#append(code)) return this.#dictionary.behind(index, at - start);
    }
    this.#prefix.length = depth;
    return index;
  }

  /** Adds a code point to the prefix. @param {number} code @returns {boolean} whether nothing that begins so can be near enough */
  #append(code) {
    const depth = this.#prefix.push(code);
    const wanted = this.#wanted;
    const above = this.#rows[depth - 1];
    const row = (this.#rows[depth] ??= new Uint8Array(wanted.length + 1).fill(this.#distance + 1));
    const first = Math.max(0, depth - this.#distance);
    const last = Math.min(wanted.length, depth + this.#distance);
    let least = this.#distance + 1;
    for (let column = first; column <= last; column += 1) {
      let distance = above[column] + 1;
      if (column > 0) {
        const replaced = above[column - 1] + (wanted[column - 1] === code ? 0 : 1);
        distance = Math.min(distance, replaced, row[column - 1] + 1);
      }
      if (depth > 1 && column > 1 && wanted[column - 2] === code && wanted[column - 1] === this.#prefix[depth - 2]) {
        distance = Math.min(distance, this.#rows[depth - 2][column - 2] + 1);
      }
      row[column] = distance;
      if (distance < least) least = distance;
    }
    this.#isNear[depth] = this.#isNear[depth - 1] || this.#matches(depth);
    return least > this.#distance;
  }

  /** @param {number} depth @returns {boolean} whether so many code points of the prefix are near enough */
  #matches(depth) {
    const { length } = this.#wanted;
    return this.#rows[depth][length] <= this.#distance && Math.max(depth, length) >= this.#leastLength;
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

/** A word so long may have one typo, or two. */
const ONE_TYPO_LENGTH = 5;
const TWO_TYPOS_LENGTH = 9;
/** A shorter beginning is near to those of too many words. */
const BEGINNING_LENGTH = 6;

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/**
 * @typedef {object} Nearest words of the catalog, as indexes in the dictionary
 * @property {0 | 1 | 2} distance typos; 0: there are none
 * @property {number[]} words that are so near as a whole
 * @property {number[]} beginnings other words, of which a beginning is so near
 */

/** @param {string} word that no product has: one of four letters may lack one @returns {0 | 1 | 2} typos that it may have */
function allowedTypos(word) {
  const { length } = [...word];
  if (length < ONE_TYPO_LENGTH - 1 || isUnspaced(word) || /\p{N}/u.test(word)) return 0;
  return length < TWO_TYPOS_LENGTH ? 1 : 2;
}

/**
 * The words of the dictionary that are nearest to one that no product has, and begin with its letter: all within one typo, or else within
 * two. A typo is a letter too many, too few or replaced, or two neighbours swapped (optimal string alignment).
 * @param {Dictionary} dictionary
 * @param {{ text: string, isPrefix: boolean }} word as a prefix it may also be near to the beginning of another
 * @param {() => Promise<void>} pause called between parts of the work
 * @returns {Promise<Nearest>}
 */
async function nearestWords(dictionary, { text, isPrefix }, pause) {
  const [letter] = text;
  const range = dictionary.beginningWith(letter);
  const isThere = (/** @type {number} */ index) => dictionary.counts.a[index] > 0;
  for (const distance of /** @type {const} */ ([1, 2])) {
    if (distance > allowedTypos(text)) break;
    const near = await new Walk(dictionary, text, { distance, leastLength: ONE_TYPO_LENGTH }).run(range, pause);
    const words = near.words.filter(isThere);
    const mayBegin = isPrefix && [...text].length >= BEGINNING_LENGTH;
    const beginnings = mayBegin ? near.beginnings.filter(isThere) : [];
    if (words.length + beginnings.length > 0) return { distance, words, beginnings };
  }
  return { distance: 0, words: [], beginnings: [] };
}

exports.allowedTypos = allowedTypos;
exports.nearestWords = nearestWords;
