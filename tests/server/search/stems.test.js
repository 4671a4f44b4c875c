'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');
// @ts-expect-error the package has no types
const stemmers = require('snowball-stemmers');

const { python, root } = require('../../../scripts/lib/runtime');
const { indexedWords } = require('../../../server/client/words.js');
const { beginningOf } = require('../../../server/search/text/forms');
const { Language } = require('../../../server/search/text/language');
const languages = require('../../../server/search/text/languages.json');
const vocabulary = require('../../../scripts/generate/vocabulary.json');

/** Words of English that the two libraries stem in another way, as "word: ours, Python's". @type {string[]} */
const DIFFERENT = [];

const ofSample = indexedWords(JSON.stringify(vocabulary)).filter((word) => /^\p{L}+$/u.test(word));

test('stems as Python does, the words of the sample and those that languages.json has', () => {
  const words = Object.fromEntries(
    Object.values(languages).map(({ snowball, little, forms }) => [
      snowball,
      [...little, ...forms].join(' ').split(' '),
    ]),
  );
  words.english.push(...ofSample);
  const input = JSON.stringify(words);
  const { stdout, stderr } = spawnSync(python, [path.join(root, 'tests/etl/stems.py')], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  const stems = JSON.parse(stdout);
  const different = Object.entries(words).flatMap(([snowball, some]) => {
    const stemmer = stemmers.newStemmer(snowball);
    const pairs = some.map((word, at) => [word, stemmer.stem(word), stems[snowball][at]]);
    return pairs.filter(([, own, other]) => own !== other).map(([word, ...both]) => `${word}: ${both.join(', ')}`);
  });
  expect(ofSample.length).toBeGreaterThan(300);
  expect([...new Set(different)]).toEqual(DIFFERENT);
});

test('finds words where their stem is looked for, but for one of Turkish', () => {
  const missed = Object.entries(languages).flatMap(([code, { little }]) => {
    const language = new Language(code);
    const words = [...little.join(' ').split(' '), ...(code === 'en' ? ofSample : [])];
    const isFound = (/** @type {string} */ word) => {
      const stem = language.stemOf(word);
      return word.startsWith(beginningOf(stem)) || language.irregular(stem).includes(word);
    };
    return words.filter((word) => !isFound(word));
  });
  expect(missed).toEqual(['icin']);
});

test('gives each group of irregular forms one stem', () => {
  for (const [code, { forms, ...some }] of Object.entries(languages)) {
    const language = new Language(code);
    const apart = 'apart' in some ? some.apart : [];
    const split = [...forms, ...apart].filter(
      (group) => new Set(group.split(' ').map((word) => language.stemOf(word))).size > 1,
    );
    expect({ code, split }).toEqual({ code, split: [] });
  }
});

test('words that name another thing are no forms of its stem', () => {
  const english = new Language('en');
  const pairs = languages.en.apart.map((group) => [group, stemmers.newStemmer('english').stem(group.split(' ')[0])]);
  expect(pairs.filter(([group, stem]) => english.stemOf(stem) === english.stemOf(group.split(' ')[0]))).toEqual([]);
});
