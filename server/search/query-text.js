'use strict';

const { malformedParameter } = require('../errors');
const { queryWords } = require('./words');

const MAX_CHARACTERS = 200;
const MAX_WORDS = 10;

/**
 * Splits `q` into what must match and what must not: `-word` at the start or after white space excludes.
 * @param {string} q
 * @returns {{ words: string[], excluded: string[] }} folded, without repeats, in order
 * @throws {import('../errors').Problem} 400 when it is too long
 */
function parseText(q) {
  if ([...q].length > MAX_CHARACTERS) throw malformedParameter(`q has at most ${MAX_CHARACTERS} characters.`);
  const tokens = q.split(/\s+/);
  const isExcluded = (/** @type {string} */ token) => token.startsWith('-');
  const words = queryWords(tokens.filter((token) => !isExcluded(token)).join(' '));
  const excluded = queryWords(tokens.filter(isExcluded).join(' '));
  const count = words.length + excluded.length;
  if (count > MAX_WORDS) {
    throw malformedParameter(
      `q has at most ${MAX_WORDS} words, this one has ${count} (each pair of CJK characters is one).`,
    );
  }
  return { words, excluded };
}

exports.MAX_CHARACTERS = MAX_CHARACTERS;
exports.MAX_WORDS = MAX_WORDS;
exports.parseText = parseText;
