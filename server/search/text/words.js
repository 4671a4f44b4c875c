'use strict';

/**
 * Words of texts and queries. The loader splits texts in the same way, and a test compares both for every code point of
 * Unicode 14, which is what Python 3.11 knows.
 */

/** Code points that are indexed as single characters and pairs, because nothing separates words: first and last of each range. */
const CJK_RANGES = [
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x3ffff],
];
/** Code points of a word that count. A run of CJK is many words: all of it counts. */
const MAX_WORD_LENGTH = 64;

/** Accents are dropped; U+3099 and U+309A are voicing marks of Japanese, which make another letter. */
const ACCENT = /(?![\u3099\u309a])\p{Mn}/gu;
/** @type {Record<string, string>} letters that Unicode does not decompose */
const LETTERS = { ß: 'ss', ς: 'σ', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };
const OWN_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
const RUN = /[\p{L}\p{N}\p{M}]+/gu;

const cjkClass = CJK_RANGES.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join('');
const CJK = new RegExp(`^[${cjkClass}]`, 'u');
const CJK_OR_OTHER = new RegExp(`[${cjkClass}]+|[^${cjkClass}]+`, 'gu');

/** @param {string} text */
const withoutAccents = (text) => text.normalize('NFKD').replace(ACCENT, '');

/** One form for all spellings of a text: no case, no accents, no compatibility forms. @param {string} text */
function fold(text) {
  const lower = withoutAccents(text).toLowerCase();
  return withoutAccents(lower)
    .normalize('NFC')
    .replace(OWN_LETTER, (letter) => LETTERS[letter]);
}

/** @param {string} word @returns {boolean} whether it consists of CJK; a word never mixes them with others */
const isCjk = (word) => CJK.test(word);

/** @param {number} code a code point @returns {number} the last of its range of CJK; -1: it is not in one */
const cjkRangeEnd = (code) => CJK_RANGES.find(([first, last]) => code >= first && code <= last)?.[1] ?? -1;

/** @param {string} text @returns {string[]} each without a change between CJK and other characters */
const runsOf = (text) =>
  (fold(text).match(RUN) ?? [])
    .flatMap((run) => run.match(CJK_OR_OTHER) ?? [])
    .map((run) => (isCjk(run) ? run : [...run].slice(0, MAX_WORD_LENGTH).join('')));

/** The words of each run of a query, in order; pairs where the run is CJK. @param {string} text @returns {string[][]} */
const queryRuns = (text) =>
  [...new Set(runsOf(text))].map((run) => (isCjk(run) && [...run].length > 1 ? pairsOf([...run]) : [run]));

/** All of these words. @param {string} text @returns {string[]} */
const queryWords = (text) => [...new Set(queryRuns(text).flat())];

/** The words under which a text is found: of CJK each character and each pair of neighbours. @param {string} text @returns {string[]} */
const indexedWords = (text) => runsOf(text).flatMap((run) => (isCjk(run) ? [...run, ...pairsOf([...run])] : [run]));

/** @param {string[]} characters */
const pairsOf = (characters) => characters.slice(1).map((character, index) => characters[index] + character);

exports.fold = fold;
exports.isCjk = isCjk;
exports.cjkRangeEnd = cjkRangeEnd;
exports.indexedWords = indexedWords;
exports.queryRuns = queryRuns;
exports.queryWords = queryWords;
