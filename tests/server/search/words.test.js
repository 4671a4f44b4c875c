'use strict';

const { createHash } = require('node:crypto');
const cuts = require('../../helpers/cuts.json');
const digests = require('../../helpers/unicode-14.json');
const { fold, indexedWords } = require('../../../server/client/words.js');
const { Language } = require('../../../server/search/text/language');
const { Tuning } = require('../../../server/search/tuning/tuning');
const { parseText, readText } = require('../../../server/search/text/query-text');

const BLOCK = 256;
const english = new Language('en');
const untuned = new Tuning(english);

/** As tests/etl/fold_digests.py writes it. @param {string} character */
const lineOf = (character) => `${fold(character)}\t${indexedWords(`a${character}b`).join(' ')}\n`;

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
  ['Łódź Đà Øre Æon œuvre ılık İzmir Þór', 'lodz da ore aeon oeuvre ilik izmir thor'],
])('folds %s to %s', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test.each(/** @type {[string, string[]][]} */ (cuts))('cuts %j as the loader does', (text, words) => {
  expect(indexedWords(text)).toEqual(words);
});

/** @param {import('../../../server/client/words.js').Unit[]} units */
const texts = (units) => units.map(({ text }) => text);

test.each([
  ['jacket', 'jacket', []],
  ["men's", 'mens', ['men']],
  ['Wi-Fi', 'wifi', ['wi', 'fi']],
  ['ab1234-x', 'ab1234x', ['ab', '1234', 'x']],
  ['1/2', null, ['1', '2']],
  ['7', '7', []],
  [`${'x'.repeat(70)}`, 'x'.repeat(64), []],
])('reads %s as one word, and as its parts', (q, whole, parts) => {
  expect(parseText(q).units).toMatchObject([{ whole, parts }]);
});

test.each([
  ['Green  parka, green', ['green', 'parka'], []],
  ['jacket -red', ['jacket'], ['red']],
  ['-red-hot jacket', ['jacket'], ['red-hot']],
  ['t-shirt - blue', ['t-shirt', 'blue'], []],
  ['a\u3000-b', ['a'], ['b']],
  ['東京デニムjacket服', ['東京', '京デ', 'デニ', 'ニム', 'jacket', '服'], []],
  ['🎉 parka', ['parka'], []],
])('excludes words behind a hyphen: %s', (q, words, excluded) => {
  const text = parseText(q);
  expect([texts(text.units), texts(text.excluded), text.signs]).toEqual([words, excluded, '']);
});

test.each(['- -', '-🎉', '🎉', '!? …', '-'])('signs alone are no query for everything: %s', (q) => {
  expect(parseText(q)).toEqual({ units: [], excluded: [], signs: fold(q).trim() });
  expect(readText(parseText(q), untuned).ignored).toEqual([fold(q).trim()]);
});

test('without a text there are no signs', () => {
  expect([parseText(''), parseText(' \u3000')]).toEqual(Array(2).fill({ units: [], excluded: [], signs: '' }));
});

test('refuses more than 200 characters, and takes 200 outside the first plane', () => {
  const tooLong = expect.objectContaining({ status: 400, message: 'q has at most 200 characters.' });
  expect(() => parseText('x'.repeat(201))).toThrow(tooLong);
  expect(parseText(`${'\u{1f600}'.repeat(180)} a b c d e f g h i j`).units).toHaveLength(10);
});

test.each([
  ['jacket for the winter', ['jacket', 'winter'], ['for', 'the'], []],
  ['for the', ['for', 'the'], [], []],
  ['a1 b2 c3 d4 for e5 f6 g7 h8 i9 j10 k11 l12', 'a1 b2 c3 d4 e5 f6 g7 h8 i9 j10'.split(' '), ['for'], ['k11', 'l12']],
  ['down jacket not over it', ['down', 'jacket', 'not', 'over'], ['it'], []],
])('ten words decide, and little ones only beside others: %s', (q, words, optional, ignored) => {
  const reading = readText(parseText(q), untuned);
  expect([texts(reading.words), texts(reading.optional), reading.ignored]).toEqual([words, optional, ignored]);
});

test('of a language that nobody knows, no word is little and none has forms', () => {
  const none = new Language('xx');
  expect([none.isLittle('the'), none.stemOf('jackets'), english.stemOf('jackets')]).toEqual([
    false,
    'jackets',
    'jacket',
  ]);
});

test.each([
  ['一二三四五六七八九十百', '一二 二三 三四 四五 五六 六七 七八 八九 九十 十百'],
  ['一二三四五六七八九十百千', '一二 三四 五六 七八 九十 百千'],
  ['一二三四五六七八九十百千 jacket 服', '一二 三四 五六 七八 九十 百千 jacket 服'],
])('finds runs without spaces by at most ten pairs, which are all at first: %s', (q, words) => {
  expect(texts(readText(parseText(q), untuned).words)).toEqual(words.split(' '));
});

test('takes 200 characters of a run without spaces, wanted and excluded', () => {
  const text = Array.from({ length: 98 }, (_, place) => String.fromCodePoint(0x4e00 + place)).join('');
  const parsed = parseText(`${text} -${text}`);
  expect([readText(parsed, untuned).words.length, parsed.excluded.length]).toEqual([10, 10]);
});
