'use strict';

/*
 * Names that say the words of queries in another way: shuffled, in singular or plural, joined or parted, with apostrophes, in other case.
 */

const { english } = require('./oracle-words');
const { shuffled } = require('../../scripts/generate/random');

const IRREGULAR = [
  'knife knives',
  'shelf shelves',
  'half halves',
  'man men',
  'woman women',
  'child children',
  'foot feet',
];
const OTHERS = new Map(IRREGULAR.map((pair) => pair.split(' ')).flatMap(([one, many]) => [[one, many], [many, one]])); // prettier-ignore
const PARTED = [
  'arm|chair back|rest back|splash bar|stool bed|room book|case book|shelf candle|stick drift|wood farm|house fire|place free|standing hard|ware',
  'head|board love|seat multi|colored night|stand play|house splash|proof sun|flower twin|xl wall|paper waste|basket water|fall wing|back',
];
const HALVES = new Map(PARTED.flatMap((line) => line.split(' ')).map((word) => [word.replace('|', ''), word]));
/** A word that has a plural. */
const NOUN = /^(?=.*[aeiouy])[a-z]{3,}$/;

/** The plural of a singular, and the other way round, by the rules of school. @param {string} word */
function otherNumber(word) {
  const known = OTHERS.get(word);
  if (known) return known;
  if (/[^aeiou]ies$/.test(word)) return word.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x)es$/.test(word)) return word.replace(/es$/, '');
  if (/[^suia]s$/.test(word)) return word.slice(0, -1);
  if (/(s|sh|ch|x|z)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? word.replace(/y$/, 'ies') : `${word}s`;
}

/** @typedef {ReturnType<typeof import('./search-products').picking>} Random */

/** @param {string} word */
const isNoun = (word) => NOUN.test(word) && !english.isLittle(word);

/** Joins some neighbours. @param {string[]} words @param {Random} random @returns {string[]} */
function joined([first, second, ...rest], random) {
  if (second === undefined) return first === undefined ? [] : [first];
  const joins = isNoun(first) && isNoun(second) && random.chance(0.07);
  if (joins) return [first + random.pick(['', '-']) + second, ...joined(rest, random)];
  return [first, ...joined([second, ...rest], random)];
}

/** One word in another way. @param {string} word @param {Random} random */
function respelled(word, { chance, pick }) {
  if (/[-/]/.test(word) && chance(0.5)) return word.replace(/[-/]/g, pick(['-', ' ', '\u2010', '/']));
  if (!isNoun(word)) return word;
  if (/[^s]s$/.test(word) && chance(0.1)) return word.replace(/s$/, pick(["'s", '’s']));
  const written = chance(0.6) ? otherNumber(word) : word;
  const halves = [...HALVES].find(([whole]) => written.startsWith(whole));
  return halves && chance(0.5) ? written.replace(halves[0], halves[1].replace('|', pick([' ', '-']))) : written;
}

/**
 * The name of a product that a query means.
 * @param {string} query @param {Random} random @returns {string}
 */
function reworded(query, random) {
  const words = query.toLowerCase().replaceAll('"', ' ').split(/\s+/).filter(Boolean);
  const own = shuffled(joined(words, random), random.below).map((word) => respelled(word, random));
  const capitals = own.map((word) => word[0].toUpperCase() + word.slice(1));
  return random.pick([capitals, own, own.map((word) => word.toUpperCase())]).join(' ');
}

module.exports = { reworded };
