/*
 * How the service finds words in a text (server/search/text/words.js), because a highlight must mark what it has found. A test compares both.
 */

/** Characters of a word that count. */
const MAX_WORD_LENGTH = 64;

/** Accents are dropped; U+3099 and U+309A are voicing marks of Japanese, which make another letter. */
const ACCENT = /(?![\u3099\u309a])\p{Mn}/gu;
/** @type {Record<string, string>} letters that Unicode does not decompose */
const LETTERS = { ß: 'ss', ς: 'σ', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };
const OWN_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
const CJK = String.raw`[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]`;
/** Nothing separates the words of CJK, so its runs end where other letters begin. */
const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
const RUN = new RegExp(`(?:(?=${CJK})${LETTER})+|(?:(?!${CJK})${LETTER})+`, 'gu'); // flag v is too new for some browsers
const BEGINS_WITH_CJK = new RegExp(`^${CJK}`, 'u');

/** Parts of what a reader sees as one character are folded together. Made at its first use: some browsers lack it. @type {Intl.Segmenter} */
let characters;

/** @typedef {{ from: number, to: number }} Place in a text */

/** @param {string} text */
const withoutAccents = (text) => text.normalize('NFKD').replace(ACCENT, '');

/** One form for all spellings: no case, no accents, no compatibility forms. @param {string} text @returns {string} */
export function fold(text) {
  const lower = withoutAccents(text).toLowerCase();
  return withoutAccents(lower)
    .normalize('NFC')
    .replace(OWN_LETTER, (letter) => LETTERS[letter]);
}

/**
 * The words of a text, folded. Folding changes lengths, so each knows the places that its characters come from.
 * @param {string} text
 * @returns {{ word: string, isCjk: boolean, places: Place[] }[]} a run of CJK is one; places: of each UTF-16 unit of the word
 */
export function wordsOf(text) {
  let folded = '';
  /** @type {Place[]} */
  const places = [];
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment, index } of characters.segment(text)) {
    const part = fold(segment);
    folded += part;
    places.push(...Array(part.length).fill({ from: index, to: index + segment.length }));
  }
  return [...folded.matchAll(RUN)].map(({ 0: run, index }) => {
    const isCjk = BEGINS_WITH_CJK.test(run);
    const word = isCjk ? run : [...run].slice(0, MAX_WORD_LENGTH).join('');
    return { word, isCjk, places: places.slice(index, index + run.length) };
  });
}
