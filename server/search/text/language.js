'use strict';

// @ts-expect-error the package has no types
const stemmers = require('snowball-stemmers');
const languages = require('./languages.json');

/** Words of letters alone have forms. */
const OF_LETTERS = /^[\p{L}\p{M}]+$/u;

/**
 * languages.json: the algorithm of Snowball, the stop list of that project as PostgreSQL ships it (without words that turn the meaning, such as
 * "not" and "under", and the letters that sizes are), groups of forms that no algorithm knows, and groups `apart` that it takes for forms of
 * another thing: leggings of leg.
 * @type {Record<string, { snowball: string, little: string[], forms: string[], apart?: string[] }>}
 */
const known = languages;

/** A language as the search knows it. */
class Language {
  /** @type {{ stem: (word: string) => string } | null} */
  #stemmer = null;
  /** @type {Map<string, string>} */
  #irregular = new Map();
  /** @type {Map<string, string[]>} by stem */
  #groups = new Map();
  #little;

  /** @param {string} code as a load names it. Of `none`, and of one that this release does not know, words have no forms */
  constructor(code) {
    const { snowball, little, forms, apart = [] } = known[code] ?? { snowball: '', little: [], forms: [] };
    this.code = code;
    this.#little = new Set(little.flatMap((line) => line.split(' ')));
    if (!snowball) return;
    const stemmer = (this.#stemmer = stemmers.newStemmer(snowball));
    for (const line of forms) this.#add(line.split(' '), stemmer.stem(line.split(' ')[0]));
    for (const line of apart) this.#add(line.split(' '), line.split(' ')[0]);
  }

  /** @param {string[]} group @param {string} stem */
  #add(group, stem) {
    this.#groups.set(stem, group);
    for (const form of group) this.#irregular.set(form, stem);
  }

  /** @param {string} word folded @returns {boolean} whether it only helps others: "for", "the" */
  isLittle(word) {
    return this.#little.has(word);
  }

  /** @param {string} stem @returns {string[]} its words that languages.json names */
  irregular(stem) {
    return this.#groups.get(stem) ?? [];
  }

  /** @param {string} word folded @returns {string} what all its forms have in common; the word itself where it has no others */
  stemOf(word) {
    if (!this.#stemmer || !OF_LETTERS.test(word)) return word;
    return this.#irregular.get(word) ?? this.#stemmer.stem(word);
  }
}

exports.Language = Language;
