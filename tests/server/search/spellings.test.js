'use strict';

const { Spellings } = require('../../../server/search/text/spellings');

test('finds how texts write a word, whatever stands around it', () => {
  const lines = ['a\tA', 'gore\tGore™', 'goretex\tGORE-TEX', 'mobel\tMöbel', '服\t服!', '\u{20000}\tx'];
  const words = new Spellings(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  expect(['a', 'gore', 'goretex', 'mobel', '服', '\u{20000}'].map((word) => words.of(word))).toEqual([
    'A',
    'Gore™',
    'GORE-TEX',
    'Möbel',
    '服!',
    'x',
  ]);
  expect(['', 'b', 'gor', 'goret', 'z', '\u{20001}'].map((word) => words.of(word))).toEqual([
    '',
    'b',
    'gor',
    'goret',
    'z',
    '\u{20001}',
  ]);
});

test('a load without them has the words as they are, and a cut one is refused', () => {
  expect(new Spellings(Buffer.alloc(0)).of('x')).toBe('x');
  expect(() => new Spellings(Buffer.from('a\tA'))).toThrow(/spellings/);
});
