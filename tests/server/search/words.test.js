'use strict';

const { createHash } = require('node:crypto');
const digests = require('../../helpers/unicode-14.json');
const { fold, queryWords } = require('../../../server/search/text/words');
const { parseText } = require('../../../server/search/text/query-text');

const BLOCK = 256;

/** As tests/etl/fold_digests.py writes it. @param {string} character */
const lineOf = (character) => `${fold(character)}\t${queryWords(`a${character}b`).join(' ')}\n`;

test.each(Object.keys(digests))('folds block %s of Unicode 14 as the loader does', (block) => {
  const [counted, digest] = /** @type {Record<string, string[]>} */ (digests)[block];
  const codes = Array.from({ length: BLOCK }, (_, index) => index).filter(
    (index) => (BigInt(`0x${counted}`) >> BigInt(index)) & 1n,
  );
  const lines = codes.map((index) => lineOf(String.fromCodePoint(parseInt(block, 16) * BLOCK + index)));
  expect(createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16)).toBe(digest);
});

test.each([
  ['JACKÉT', 'jacket'],
  ['Straße ΣΑΣ', 'strasse σασ'],
  ['ﾃﾞﾆﾑ', 'デニム'],
  ['Łódź Đà Øre Æon œuvre ılık İzmir', 'lodz da ore aeon oeuvre ilik izmir'],
])('folds %s to %s', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test.each([
  ['Green  parka, green', ['green', 'parka']],
  ['rock’n’roll 7.5 a_b', ['rock', 'n', 'roll', '7', '5', 'a', 'b']],
  ['東京デニムjacket服', ['東京', '京デ', 'デニ', 'ニム', 'jacket', '服']],
  ['\u{20000}\u{20001}\u{20002}', ['\u{20000}\u{20001}', '\u{20001}\u{20002}']],
  [`${'x'.repeat(70)}服 y`, ['x'.repeat(64), '服', 'y']],
  [`${'服'.repeat(70)}装`, ['服服', '服装']],
  ['<b>&amp;', ['b', 'amp']],
  ['-- ! ・', []],
])('splits %s', (text, words) => {
  expect(queryWords(text)).toEqual(words);
});

test.each([
  ['jacket -red', ['jacket'], ['red']],
  ['-red-hot jacket', ['jacket'], ['red', 'hot']],
  ['t-shirt - blue', ['t', 'shirt', 'blue'], []],
  ['a\u3000-b', ['a'], ['b']],
  ['', [], []],
  ['- -　', [], []],
  ['-🎉', [], []],
  // Without a word, these would find all products.
  ['🎉', ['🎉'], []],
  ['!? … -red', ['!? …'.normalize('NFKD')], ['red']],
  ['🎉 parka', ['parka'], []],
])('excludes words behind a hyphen: %s', (q, words, excluded) => {
  expect(parseText(q)).toEqual({ words, excluded });
});

test.each([
  ['x'.repeat(201), 'q has at most 200 characters.'],
  ['a b c d e f g h i -j -k', 'q has at most 10 words, this one has 11.'],
  ['東京都 服 東 c d e f g h i j', 'q has at most 10 words, this one has 11.'],
])('refuses a text that is too long: %s', (q, detail) => {
  expect(() => parseText(q)).toThrow(expect.objectContaining({ status: 400, message: detail }));
});

test('takes 200 characters outside the first plane, and ten words', () => {
  expect(parseText(`${'\u{1f600}'.repeat(180)} a b c d e f g h i j`).words).toHaveLength(10);
});

test.each([
  ['一二三四五六七八九十百', '一二 二三 三四 四五 五六 六七 七八 八九 九十 十百'],
  ['一二三四五六七八九十百千', '一二 三四 五六 七八 九十 百千'],
  ['一二三四五六七八九十百千 jacket 服', '一二 三四 五六 七八 九十 百千 jacket 服'],
])('finds CJK of any length by at most ten pairs, which are all at first: %s', (q, words) => {
  expect(parseText(q).words).toEqual(words.split(' '));
});

test('takes 200 characters of CJK, wanted and excluded', () => {
  const text = Array.from({ length: 98 }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('');
  const { words, excluded } = parseText(`${text} -${text}`);
  expect([words.length, excluded.length]).toEqual([5, 5]);
});
