'use strict';

const { Dictionary } = require('../../../server/search/text/dictionary');
const { allowedTypos, nearestWords } = require('../../../server/search/text/typos');
const { picking, seeded } = require('../../helpers/search-products');

/** Optimal string alignment, by its definition. @param {string[]} a @param {string[]} b @param {number} typos @returns {boolean} */
function isWithin(a, b, typos) {
  if (Math.abs(a.length - b.length) > typos || typos < 0) return false;
  if (a.length === 0 || b.length === 0) return true;
  const [x, y] = [a.slice(0, -1), b.slice(0, -1)];
  if (a.at(-1) === b.at(-1)) return isWithin(x, y, typos);
  const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  const ways = [[x, b], [a, y], [x, y], ...(swapped ? [[x.slice(0, -1), y.slice(0, -1)]] : [])]; // prettier-ignore
  return ways.some(([one, other]) => isWithin(one, other, typos - 1));
}

const byBytes = (/** @type {string} */ a, /** @type {string} */ b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** @param {string[]} words @param {(word: string) => string} [counts] @returns {Promise<Dictionary>} */
const dictionaryOf = (words, counts = () => '1\t2\t3') => {
  const lines = [...new Set(words)].sort(byBytes).map((word) => `${word}\t${counts(word)}\n`);
  return Dictionary.parse(Buffer.from(lines.join('')), async () => {});
};

/** @param {Dictionary} dictionary @param {string} text */
async function near(dictionary, text, isPrefix = false) {
  const { distance: typos, ...found } = await nearestWords(dictionary, { text, isPrefix }, async () => {});
  const [words, beginnings] = [found.words, found.beginnings].map((each) => each.map((at) => dictionary.word(at)));
  return { typos, words, beginnings };
}

/**
 * The nearest words by the rule: with its first letter, 1 typo from 5 letters, 2 from 9, of the whole word, or from 6 of a beginning.
 * @param {string[]} vocabulary by bytes @param {string} text @param {boolean} isPrefix
 */
function nearestByRule(vocabulary, text, isPrefix) {
  const wanted = Array.from(text);
  const others = vocabulary.filter((word) => Array.from(word)[0] === wanted[0]);
  for (const typos of wanted.length < 9 ? [1] : [1, 2]) {
    const isNear = (/** @type {string[]} */ word) =>
      Math.max(word.length, wanted.length) >= 5 && isWithin(word, wanted, typos);
    const words = others.filter((word) => isNear(Array.from(word)));
    const begins = (/** @type {string} */ word) =>
      Array.from(word).some((_, index, all) => isNear(all.slice(0, index)));
    const mayBegin = isPrefix && wanted.length >= 6;
    const beginnings = mayBegin ? others.filter((word) => !words.includes(word) && begins(word)) : [];
    if (words.length + beginnings.length > 0) return { typos, words, beginnings };
  }
  return { typos: 0, words: [], beginnings: [] };
}

test.each([false, true])('finds the words that the rule finds; as a prefix: %s', async (isPrefix) => {
  const { below, pick } = picking(seeded(5));
  const alphabet = ['a', 'b', 'c', 'é', 'ж', '\u{1d7d8}'.normalize('NFC'), '\u{10330}'];
  const make = (/** @type {number} */ length) => Array.from({ length }, () => pick(alphabet)).join('');
  const words = Array.from({ length: 200 }, () => make(3 + below(9)));
  const others = '服 服装 々々 デニ 한국 \u{20000}\u{20001}'.split(' ');
  const dictionary = await dictionaryOf([...words, ...others]);
  const vocabulary = [...new Set(words)].sort(byBytes);
  for (let round = 0; round < 50; round += 1) {
    const word = round % 2 ? make(5 + below(6)) : `${pick(words)}${pick(alphabet)}`;
    if (vocabulary.includes(word) || allowedTypos(word) === 0) continue;
    const wanted = { word, ...nearestByRule(vocabulary, word, isPrefix) };
    expect({ word, ...(await near(dictionary, word, isPrefix)) }).toEqual(wanted);
  }
});

describe('the nearest words', () => {
  const words = [
    'jacket',
    'jackets',
    'packet',
    'waterproof',
    'waterproofs',
    'windproof',
    'wadjacket',
    'parkway',
    'pantry',
    'rainwear',
    'rain',
    'train',
    'red',
    'bed',
    '50123',
    'parka',
  ];

  test.each([
    ['jackte', 1, ['jacket']],
    ['jackett', 1, ['jacket', 'jackets']],
    ['wtaerprof', 2, ['waterproof']],
    ['waterprooof', 1, ['waterproof']],
    ['awterproofss', 0, []],
    ['facket', 0, []],
    ['prak', 0, []],
    ['prka', 1, ['parka']],
    ['praka', 1, ['parka']],
    ['jakcte', 0, []],
    ['rde', 0, []],
    ['50132', 0, []],
    ['ジャケットト', 0, []],
  ])('of %s are %d away', async (word, typos, wanted) => {
    const dictionary = await dictionaryOf(words);
    expect(await near(dictionary, word)).toEqual({ typos, words: wanted, beginnings: [] });
  });

  test.each([
    ['jackte', 1, ['jacket'], ['jackets']],
    ['pakrw', 0, [], []],
    ['pakrwa', 1, [], ['parkway']],
    ['prka', 1, ['parka'], []],
    ['pntr', 0, [], []],
    ['watreproo', 1, [], ['waterproof', 'waterproofs']],
    ['wtaerpruof', 2, ['waterproof'], ['waterproofs']],
    ['rian', 0, [], []],
  ])('of the prefix %s are %d away', async (word, typos, wanted, beginnings) => {
    const dictionary = await dictionaryOf(words);
    expect(await near(dictionary, word, true)).toEqual({ typos, words: wanted, beginnings });
  });
});

test('a word that no product has is not near', async () => {
  const dictionary = await dictionaryOf(['jacket', 'packet'], (word) => (word === 'packet' ? '0\t0\t0' : '0\t0\t7'));
  expect((await near(dictionary, 'jackte')).words).toEqual(['jacket']);
  expect((await near(dictionary, 'packte')).words).toEqual([]);
});

test('a walk through many words pauses', async () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `w${a}${b}${c}`)));
  const pause = jest.fn(async () => {});
  await nearestWords(await dictionaryOf(words), { text: 'waterproof', isPrefix: true }, pause);
  expect(pause.mock.calls.length).toBeGreaterThan(2);
});

describe('a dictionary', () => {
  const words = ['a', 'ab', 'abc', 'b', 'ß'.repeat(64), 'é', '服', '\u{20000}', 'zz'];

  test('finds its words, and no others', async () => {
    const dictionary = await dictionaryOf(words, (word) => `${word.length}\t0\t4294967295`);
    const sorted = [...words].sort(byBytes);
    expect(sorted.map((word) => dictionary.find(word))).toEqual(sorted.map((_, index) => index));
    expect(sorted.map((_, index) => dictionary.word(index))).toEqual(sorted);
    expect([...dictionary.counts.n]).toEqual(sorted.map((word) => word.length));
    expect(dictionary.counts.a[0]).toBe(4294967295);
    expect(['', 'aa', 'abcd', 'zzz', '\u{30000}'].map((word) => dictionary.find(word))).toEqual([-1, -1, -1, -1, -1]);
  });

  test('finds what begins with a text', async () => {
    const dictionary = await dictionaryOf(words);
    const beginning = (/** @type {string} */ prefix) => {
      const { from, to } = dictionary.beginningWith(prefix);
      return [...words].sort(byBytes).slice(from, to);
    };
    expect(['a', 'ab', 'abcd', 'z', '服', ''].map(beginning)).toEqual([
      ['a', 'ab', 'abc'],
      ['ab', 'abc'],
      [],
      ['zz'],
      ['服'],
      [...words].sort(byBytes),
    ]);
  });

  test('may be empty, or long: it gives way while it is read', async () => {
    expect((await dictionaryOf([])).find('a')).toBe(-1);
    const pause = jest.fn(async () => {});
    const lines = Array.from({ length: 50_000 }, (_, index) => `${String(index).padStart(6, '0')}\t0\t1\t2\n`);
    const dictionary = await Dictionary.parse(Buffer.from(lines.join('')), pause);
    expect(dictionary.find('049999')).toBe(49_999);
    expect(pause.mock.calls.length).toBeGreaterThan(1);
  });
});
