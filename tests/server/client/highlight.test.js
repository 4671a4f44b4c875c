'use strict';

const { indexedWords, placedTokens, wordsOfToken } = require('../../../server/client/words.js');
const { highlight } = require('../../helpers/client');

/** @typedef {{ word: string, as: string[] }} Word */

/** The text with brackets around what matches. @param {string} text @param {Word[]} words */
const marked = (text, words) =>
  highlight(text, words)
    .map((segment) => (segment.match ? `[${segment.text}]` : segment.text))
    .join('');

/** Each matches as itself. @param {string[]} terms @returns {Word[]} */
const wordsOf = (...terms) => terms.map((word) => ({ word, as: [word] }));

describe('highlight', () => {
  test.each([
    ['Green Parka', 'parka', 'Green [Parka]'],
    ['Green parka, green', 'green', '[Green] parka, [green]'],
    ['bed and red', 'red', 'bed and [red]'],
    ['JACKÉT Größe STRASSE straße', 'jacket grosse strasse', '[JACKÉT] [Größe] [STRASSE] [straße]'],
    ['Jacke\u0301t ﬁne İzmir', 'jacket fine izmir', '[Jacke\u0301t] [ﬁne] [İzmir]'],
    ['rock’n’roll', 'rock roll', '[rock]’n’[roll]'],
    ['東京デニムjacket服', 'デニ ニム jacket', '東京[デニムjacket]服'],
    ['東京デニム', '京', '東[京]デニム'],
    ['ﾃﾞﾆﾑ ﾃﾆﾑ', 'デニ', '[ﾃﾞﾆ]ﾑ ﾃﾆﾑ'],
    ['각 가', '각', '[각] 가'],
    ['👩‍👩‍👧 Hat 🧢', 'hat', '👩‍👩‍👧 [Hat] 🧢'],
    [`${'x'.repeat(70)} x`, 'x'.repeat(64), `[${'x'.repeat(70)}] x`],
    ['', 'x', ''],
    ['nothing', 'x', 'nothing'],
    ['Wi-Fi camera', 'wifi', '[Wi-Fi] camera'],
    ['iPhone15 Case', 'iphone 15', '[iPhone15] Case'],
    ['Court Shoe 9½', '1', 'Court Shoe 9[½]'],
    ["Men's Parka", 'men', "[Men]'s Parka"],
    ["Men's Parka", 'mens', "[Men's] Parka"],
    ['Gore™ Shell', 'gore', '[Gore]™ Shell'],
  ])('marks in %s the words %s', (text, terms, wanted) => {
    expect(marked(text, wordsOf(...terms.split(' ')))).toBe(wanted);
  });

  test('marks words that a prefix or a typo has found, by the terms of the reply', () => {
    expect(marked('Jackets, jacket and jackal', [{ word: 'jackte', as: ['jacket', 'jackets'] }])).toBe(
      '[Jackets], [jacket] and jackal',
    );
  });

  test('marks each word with the prefix when the reply lists only some of its terms', () => {
    const as = Array.from({ length: 50 }, (_, index) => `j${index}`);
    expect(marked('Jackets, parka', [{ word: 'j', as }])).toBe('[Jackets], parka');
    expect(marked('Jackets, parka', [{ word: 'j', as: as.slice(1) }])).toBe('Jackets, parka');
  });

  test('returns markup as text, whole and in order', () => {
    const text = '<img src=x onerror="alert(1)"> & <b>Hat</b>';
    const segments = highlight(text, wordsOf('img', 'b', 'hat', '<b>', 'amp'));
    expect(segments.map((segment) => segment.text).join('')).toBe(text);
    expect(segments.filter(({ match }) => match).map((segment) => segment.text)).toEqual(['img', 'b', 'Hat', 'b']);
    expect(segments.every((segment) => Object.keys(segment).join() === 'text,match')).toBe(true);
  });
});

test('words of random texts are those that are found, and their places are in order', () => {
  const parts = [
    'A',
    'é',
    'e\u0301',
    'ß',
    'ﬁ',
    'Σ',
    'İ',
    '\u1112',
    '\u1161',
    '\u11ab',
    'ｶ',
    'ﾞ',
    'カ',
    '服',
    '々',
    '・',
    'ー',
  ];
  parts.push(
    '\u{20000}',
    ' ',
    '-',
    '7',
    '½',
    '\u200d',
    '\ufe0f',
    '🧵',
    'का',
    '\u0bc6',
    '\u0bbe',
    '<b>',
    '&amp;',
    '\ud800',
    'กำ',
  );
  parts.push("'", '/', 'ﬁ½', '™', '15');
  let seed = 7;
  const random = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 1000; round += 1) {
    const text = Array.from({ length: 1 + random(8) }, () => parts[random(parts.length)]).join('');
    const tokens = placedTokens(text);
    const found = tokens.flatMap(({ token }) => wordsOfToken(token).map(({ word }) => word));
    expect({ text, words: [...new Set(found)] }).toEqual({ text, words: indexedWords(text) });
    for (const { places } of tokens)
      expect(places.every(({ from, to }, at) => from < to && from >= (places[at - 1]?.from ?? 0))).toBe(true);
  }
});
