/*
 * Cuts texts and queries into words: one module for the workers, the client and the page. etl/search/words.py does the same for the
 * loader, and tests/helpers/cuts.json has cases that all of them run.
 */

/** Code points of a word that count. A run without spaces is many words: all of it counts. */
const MAX_WORD_LENGTH = 64;

/** Signs of brands, superscripts and the zero width space: decomposed, they would be letters and digits of the word before. */
const APART = /[\u00a9\u00ae\u2120\u2122\u00b2\u00b3\u00b9\u2070\u2074-\u207e\u200b]/gu;
const FRACTION = /[\u00bc-\u00be\u2150-\u215f\u2189]/gu;
const FORMAT = /\p{Cf}/gu;
const APOSTROPHE = /[\u00b4\u02b9\u02bb\u02bc\u0374\u05f3\u2018\u2019\u201b\u2032-\u2034\u2057]/gu;
const HYPHEN = /[\u2010-\u2015\u208b\u2212\ufe31\ufe32\ufe58]/gu;

/**
 * Marks of Latin, Greek and Cyrillic, Hebrew points, Arabic harakat, variation selectors. Those of other scripts are vowels and tones, and of
 * Japanese make another letter: they stay.
 */
const MARK =
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u180b-\u180d\u180f\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\u2de0-\u2dff\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu;
/** Letters that Unicode does not decompose; of Arabic those that keyboards exchange, and its stretching line. @type {Record<string, string>} */
const LETTERS = {
  ß: 'ss',
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  þ: 'th',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n', // prettier-ignore
  '\u02bc': "'", // of ŉ
  '\u0640': '',
  '\u06a9': '\u0643',
  '\u06cc': '\u064a',
  '\u0649': '\u064a',
  '\u0671': '\u0627',
  '\u0629': '\u0647',
};
const OWN_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Nothing separates the words of Chinese, Japanese, Korean, Thai, Lao, Khmer and Myanmar. First and last of each range. */
const UNSPACED_RANGES = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
  [0x20000, 0x3ffff],
];
const unspaced = UNSPACED_RANGES.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join('');
const BEGINS_UNSPACED = new RegExp(`^[${unspaced}]`, 'u');
const CHARACTER = String.raw`[\p{L}\p{N}\p{M}]`; // flag v is too new for some browsers
const UNSPACED = `(?:(?=[${unspaced}])${CHARACTER})+`;
const SPACED = `(?:(?![${unspaced}])${CHARACTER})+`;
/** A run without spaces, or words that signs join. */
const TOKEN = new RegExp(`${UNSPACED}|${SPACED}(?:['\`./-]${SPACED})*`, 'gu');
const [JOINERS, APOSTROPHES, SIGNS] = [/[./-]/u, /['`]/u, /['`./-]/gu];
const DIGITS = /^\p{N}+$/u;
const LETTERS_OR_DIGITS = /\p{N}+|\P{N}+/gu;
const FEET = /(\p{Nd})['`](?=\p{Nd})/gu;

/** @param {string} text */
const decomposed = (text) => text.normalize('NFKD').replace(MARK, '');

/** One form for all spellings of a text: no case, no accents, no compatibility forms. @param {string} text @returns {string} */
export function fold(text) {
  const plain = text
    .replace(APART, ' ')
    .replace(FORMAT, '')
    .replace(FRACTION, ' $& ')
    .replace(APOSTROPHE, "'")
    .replace(HYPHEN, '-');
  return decomposed(decomposed(plain).toLowerCase())
    .replaceAll('\u2044', '/')
    .normalize('NFC')
    .replace(OWN_LETTER, (letter) => LETTERS[letter]);
}

/** @param {string} word @returns {boolean} whether it is of a run without spaces; a word never mixes them with others */
export const isUnspaced = (word) => BEGINS_UNSPACED.test(word);

/** @param {number} code a code point @returns {number} the last of its range without spaces; -1: it is not in one */
export const unspacedRangeEnd = (code) =>
  UNSPACED_RANGES.find(([first, last]) => code >= first && code <= last)?.[1] ?? -1;

/** @param {string} word @returns {boolean} whether it is a number, which is never joined with others or cut */
export const isNumber = (word) => DIGITS.test(word);

/** @param {string} word */
const limited = (word) => (word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join(''));

/** @param {string[]} characters */
const pairsOf = (characters) => characters.slice(1).map((character, index) => characters[index] + character);

/**
 * One word of a query as it may stand in texts.
 * @typedef {object} Unit
 * @property {string} text folded
 * @property {string | null} whole its letters and digits without signs; null where its parts are all
 * @property {string[]} parts in order: what a text has that writes it apart
 */

/**
 * The parts of letters and digits. Of a word with an apostrophe, the parts of at least two letters.
 * @param {string} token of spaced script @returns {string[]}
 */
function partsOf(token) {
  const pieces = token.split(JOINERS).flatMap((piece) => {
    const around = piece.split(APOSTROPHES);
    const long = around.filter((part) => [...part].length > 1);
    return long.length > 0 ? long : around;
  });
  return pieces.flatMap((piece) => limited(piece).match(LETTERS_OR_DIGITS) ?? []);
}

/** @param {string} token @returns {Unit} */
function unitOf(token) {
  if (isUnspaced(token)) {
    const characters = [...token];
    return { text: token, whole: null, parts: characters.length > 1 ? pairsOf(characters) : characters };
  }
  const whole = limited(token.replace(SIGNS, ''));
  const parts = partsOf(token);
  if (parts.length === 1 && parts[0] === whole) return { text: token, whole, parts: [] };
  return { text: token, whole: isNumber(whole) ? null : whole, parts };
}

/** Sets numbers apart that an apostrophe would join: 5'11". @param {string} folded @returns {string} of the same length */
const withoutFeet = (folded) => folded.replace(FEET, '$1 ');

/** @param {string} text @returns {string[]} its tokens, folded */
const tokensOf = (text) => withoutFeet(fold(text)).match(TOKEN) ?? [];

/** The words of a query, in order, each once. @param {string} text @returns {Unit[]} */
export const unitsOf = (text) => [...new Set(tokensOf(text))].map(unitOf);

/** @typedef {{ word: string, from: number, to: number }} Found a word, and its place in the token: units of UTF-16, `to` behind the last */

/** @param {string} text @param {RegExp} separator one sign @returns {Found[]} what is between them */
function pieces(text, separator) {
  let from = 0;
  return text.split(separator).map((word) => {
    const to = from + word.length;
    const piece = { word, from, to };
    from = to + 1;
    return piece;
  });
}

/** A word, and its letters and numbers apart. @param {Found} piece @returns {Found[]} */
function withParts({ word, from, to }) {
  const own = limited(word);
  const parts = [...own.matchAll(LETTERS_OR_DIGITS)];
  if (parts.length < 2) return [{ word: own, from, to }];
  const places = parts.map(({ 0: part, index }) => ({
    word: part,
    from: from + index,
    to: from + index + part.length,
  }));
  return [{ word: own, from, to }, ...places];
}

/** @param {Found} piece of a token, without other signs than apostrophes @returns {Found[]} */
function aroundApostrophes({ word, from, to }) {
  const around = pieces(word, APOSTROPHES);
  if (around.length === 1) return withParts({ word, from, to });
  const long = around.filter((part) => [...part.word].length > 1);
  const whole = withParts({ word: word.replace(SIGNS, ''), from, to }).map((part) => ({ ...part, from, to }));
  return [
    ...whole,
    ...long.flatMap((part) => withParts({ word: part.word, from: from + part.from, to: from + part.to })),
  ];
}

/** The words under which a token is found, some of them several times. @param {string} token @returns {Found[]} */
export function wordsOfToken(token) {
  if (isUnspaced(token)) {
    const characters = [...token.matchAll(/./gsu)].map(({ 0: word, index }) => ({
      word,
      from: index,
      to: index + word.length,
    }));
    const pairs = characters.slice(1).map((second, index) => {
      const first = characters[index];
      return { word: first.word + second.word, from: first.from, to: second.to };
    });
    return [...characters, ...pairs];
  }
  const parts = pieces(token, JOINERS);
  const words = parts.flatMap(aroundApostrophes);
  const whole = limited(token.replace(SIGNS, ''));
  // Its parts are not those of the text: of 7.5in they would be 75 and in.
  return parts.length > 1 && !isNumber(whole) ? [...words, { word: whole, from: 0, to: token.length }] : words;
}

/** The words under which a text is found. @param {string} text @returns {string[]} each once */
export const indexedWords = (text) => [
  ...new Set(tokensOf(text).flatMap((token) => wordsOfToken(token).map(({ word }) => word))),
];

/** Parts of what a reader sees as one character are folded together. Made at its first use: some browsers lack it. @type {Intl.Segmenter} */
let characters;

/** @typedef {{ from: number, to: number }} Place in a text */

/**
 * The tokens of a text, folded. Folding changes lengths, so each knows the places that its characters come from.
 * @param {string} text
 * @returns {{ token: string, places: Place[] }[]} places: of each UTF-16 unit of the token
 */
export function placedTokens(text) {
  let folded = '';
  /** @type {Place[]} */
  const places = [];
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment, index } of characters.segment(text)) {
    const part = fold(segment);
    folded += part;
    places.push(...Array(part.length).fill({ from: index, to: index + segment.length }));
  }
  return [...withoutFeet(folded).matchAll(TOKEN)].map(({ 0: token, index }) => ({
    token,
    places: places.slice(index, index + token.length),
  }));
}
