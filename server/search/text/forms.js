'use strict';

const { LRUCache } = require('lru-cache');

/** Words whose forms are known: shoppers ask for the same few again and again, and a stem takes 10 µs. */
const MAX_KNOWN = 2000;
/** A stem has this much of its words in common with them: an ending may change its last letters (berri, berry). */
const CHANGED_LETTERS = 2;
const LEAST_LETTERS = 2;

/** FNV-1a, <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>; never 0. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}

/** @param {string} stem @returns {string} with which words of this stem begin, but for irregular ones (tests/server/search/stems.test.js) */
function beginningOf(stem) {
  const characters = [...stem];
  return characters.slice(0, Math.max(LEAST_LETTERS, characters.length - CHANGED_LETTERS)).join('');
}

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/** @typedef {import('./language').Language} Language */

/** Which words of a catalog are forms of one word. Words of later writes make another one. */
class Forms {
  #loaded;
  /** Hash of the stem of each word, once it was asked for: a first search must not wait for all. */
  #hashes;
  /** @type {Map<string, string[]>} by stem */
  #written;
  /** @type {LRUCache<string, string[]>} by word */
  #known = new LRUCache({ max: MAX_KNOWN });

  /**
   * @param {Language} language @param {Dictionary} loaded words of the load @param {Uint32Array} [hashes] 0: not known yet
   * @param {Map<string, string[]>} [written] later words, by stem
   */
  constructor(language, loaded, hashes = new Uint32Array(loaded.length), written = new Map()) {
    this.language = language;
    this.#loaded = loaded;
    this.#hashes = hashes;
    this.#written = written;
  }

  /** @param {string[]} words that the load has not @returns {Forms} */
  with(words) {
    const written = new Map(this.#written);
    for (const word of words) {
      const stem = this.language.stemOf(word);
      const known = written.get(stem) ?? [];
      if (!known.includes(word) && this.#loaded.find(word) < 0) written.set(stem, [...known, word]);
    }
    return new Forms(this.language, this.#loaded, this.#hashes, written);
  }

  /** @param {string} word @returns {string[]} other forms of it that the catalog has, or had before a write */
  of(word) {
    const known = this.#known.get(word) ?? this.#find(word);
    this.#known.set(word, known);
    return known;
  }

  /** @param {string} word */
  #find(word) {
    const stem = this.language.stemOf(word);
    const hash = hashOf(stem);
    const found = [...(this.#written.get(stem) ?? []), ...this.language.irregular(stem)];
    const { from, to } = this.#loaded.beginningWith(beginningOf(stem));
    for (let index = from; index < to; index += 1) {
      this.#hashes[index] ||= hashOf(this.language.stemOf(this.#loaded.word(index)));
      if (this.#hashes[index] !== hash) continue;
      const other = this.#loaded.word(index);
      if (this.language.stemOf(other) === stem) found.push(other);
    }
    return [...new Set(found)].filter((other) => other !== word);
  }
}

exports.beginningOf = beginningOf;
exports.Forms = Forms;
