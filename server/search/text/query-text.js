'use strict';

const { malformedParameter } = require('../../core/errors');
const { fold, queryRuns } = require('./words');

const MAX_CHARACTERS = 200;
const MAX_WORDS = 10;

/**
 * Splits `q` into what must match and what must not: `-word` at the start or after white space excludes.
 * @param {string} q
 * @returns {{ words: string[], excluded: string[] }} folded, without repeats, in order
 * @throws {import('../../core/errors').Problem} 400 when it is too long
 */
function parseText(q) {
  if ([...q].length > MAX_CHARACTERS) throw malformedParameter(`q has at most ${MAX_CHARACTERS} characters.`);
  const tokens = q.split(/\s+/);
  const isExcluded = (/** @type {string} */ token) => token.startsWith('-');
  const wanted = tokens.filter((token) => !isExcluded(token)).join(' ').trim(); // prettier-ignore
  const runs = queryRuns(wanted);
  const excluded = queryRuns(tokens.filter(isExcluded).join(' '));
  const count = runs.length + excluded.length;
  if (count > MAX_WORDS) throw malformedParameter(`q has at most ${MAX_WORDS} words, this one has ${count}.`);
  // Signs alone are no word of any product. Without words, all products would be found.
  if (wanted && runs.length === 0) runs.push([fold(wanted)]);
  return withinLimit(runs, excluded);
}

/**
 * Leaves out pairs of CJK that overlap others, evenly, until there are few enough words.
 * @param {string[][]} runs @param {string[][]} excluded
 */
function withinLimit(runs, excluded) {
  for (let step = 1; ; step += 1) {
    const each = (/** @type {string[][]} */ all) => [
      ...new Set(all.flatMap((words) => words.filter((_, place) => place % step === 0))),
    ];
    const text = { words: each(runs), excluded: each(excluded) };
    if (text.words.length + text.excluded.length <= MAX_WORDS) return text;
  }
}

exports.MAX_CHARACTERS = MAX_CHARACTERS;
exports.MAX_WORDS = MAX_WORDS;
exports.parseText = parseText;
