'use strict';

const { malformedParameter } = require('../../core/errors');
const { fold, isUnspaced, unitsOf } = require('../../client/words.js');

const MAX_CHARACTERS = 200;
/** Words that decide, and as many excluded ones. */
const MAX_WORDS = 10;

/** @typedef {import('../../client/words.js').Unit} Unit */
/**
 * @typedef {object} Text of a query
 * @property {Unit[]} units its words, without repeats, in order
 * @property {Unit[]} excluded
 * @property {string} signs what it is of where it has no word; '' otherwise
 */

/**
 * Splits `q` into what must match and what must not: `-word` at the start or after white space excludes.
 * @param {string} q @returns {Text}
 * @throws {import('../../core/errors').Problem} 400 when it is too long
 */
function parseText(q) {
  if ([...q].length > MAX_CHARACTERS) throw malformedParameter(`q has at most ${MAX_CHARACTERS} characters.`);
  const tokens = q.split(/\s+/);
  const isExcluded = (/** @type {string} */ token) => token.startsWith('-');
  const units = unitsOf(tokens.filter((token) => !isExcluded(token)).join(' ')).flatMap(apart);
  const excluded = unitsOf(tokens.filter(isExcluded).join(' ')).flatMap(apart);
  // Signs alone are no word of any product. Without words, all products would be found.
  const signs = units.length + excluded.length === 0 ? fold(q).trim() : '';
  return { units: once(units), excluded: thinned(once(excluded)).slice(0, MAX_WORDS), signs };
}

/** Pairs of a run without spaces are words of their own: a text may have some of them. @param {Unit} unit @returns {Unit[]} */
const apart = (unit) =>
  isUnspaced(unit.text) ? unit.parts.map((pair) => ({ text: pair, whole: pair, parts: [] })) : [unit];

/** @param {Unit[]} units */
const once = (units) => units.filter(({ text }, at) => units.findIndex((other) => other.text === text) === at);

/**
 * Leaves out pairs that overlap others, evenly, until there are few enough words, or no pair overlaps another.
 * @param {Unit[]} units
 */
function thinned(units) {
  let left = units;
  for (let step = 2; left.length > MAX_WORDS && step <= MAX_WORDS; step += 1) {
    let place = 0;
    left = units.filter(({ text }) => !isUnspaced(text) || [...text].length === 1 || place++ % step === 0);
  }
  return left;
}

/**
 * A text as the tuning of a load's language reads it.
 * @typedef {object} Reading
 * @property {Unit[]} words that decide @property {Unit[]} optional little words
 * @property {string[]} ignored beyond the tenth word
 */
/** @param {Text} text @param {Pick<import('../tuning/tuning').Tuning, 'isLittle' | 'joined'>} tuning of the language @returns {Reading} */
function readText(text, tuning) {
  const [units, { signs }] = [tuning.joined(text.units), text];
  const isLittle = (/** @type {Unit} */ { whole }) => whole !== null && tuning.isLittle(whole);
  const deciding = units.filter((unit) => !isLittle(unit));
  const words = thinned(deciding.length > 0 ? deciding : units);
  return {
    words: words.slice(0, MAX_WORDS),
    optional: deciding.length > 0 ? units.filter(isLittle) : [],
    ignored: [...words.slice(MAX_WORDS).map(({ text }) => text), ...(signs ? [signs] : [])],
  };
}

exports.MAX_CHARACTERS = MAX_CHARACTERS;
exports.MAX_WORDS = MAX_WORDS;
exports.parseText = parseText;
exports.readText = readText;
