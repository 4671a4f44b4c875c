'use strict';

/** An entry is a hash of a stem and the index of a word: both fit into the 53 bits of an exact double. */
const INDEX_BITS = 2 ** 24;
const HASH_BITS = 2 ** 29;
const PARSE_WORDS = 200;

/** FNV-1a, <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % HASH_BITS;
}

/** @typedef {import('./dictionary').Dictionary} Dictionary */
/** @typedef {import('./language').Language} Language */

/** Which words of a catalog are forms of one word. Never changed: words of later writes make another one. */
class Forms {
  #loaded;
  #entries;
  /** @type {Map<string, string[]>} by stem */
  #written;

  /**
   * @param {Language} language @param {Dictionary} loaded words of the load @param {Float64Array} entries of them, ascending
   * @param {Map<string, string[]>} [written] later words, by stem
   */
  constructor(language, loaded, entries, written = new Map()) {
    this.language = language;
    this.#loaded = loaded;
    this.#entries = entries;
    this.#written = written;
  }

  /** @param {Language} language @param {Dictionary} dictionary of the load @param {() => Promise<void>} pause called between parts of the work */
  static async read(language, dictionary, pause) {
    const entries = new Float64Array(dictionary.length);
    for (let index = 0; index < entries.length; index += 1) {
      entries[index] = hashOf(language.stemOf(dictionary.word(index))) * INDEX_BITS + index;
      if (index % PARSE_WORDS === 0) await pause();
    }
    return new Forms(language, dictionary, entries.sort());
  }

  /** @param {string[]} words that the load has not @returns {Forms} */
  with(words) {
    const written = new Map(this.#written);
    for (const word of words) {
      const stem = this.language.stemOf(word);
      const known = written.get(stem) ?? [];
      if (!known.includes(word) && this.#loaded.find(word) < 0) written.set(stem, [...known, word]);
    }
    return new Forms(this.language, this.#loaded, this.#entries, written);
  }

  /** @param {string} word @returns {string[]} other forms of it that the catalog has, or had before a write */
  of(word) {
    const stem = this.language.stemOf(word);
    const least = hashOf(stem) * INDEX_BITS;
    const found = [...(this.#written.get(stem) ?? [])];
    for (let at = this.#lowerBound(least); this.#entries[at] < least + INDEX_BITS; at += 1) {
      const other = this.#loaded.word(this.#entries[at] - least);
      if (this.language.stemOf(other) === stem) found.push(other);
    }
    return found.filter((other) => other !== word);
  }

  /** @param {number} least @returns {number} the first entry that is not below */
  #lowerBound(least) {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle] < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

exports.Forms = Forms;
