'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');
// @ts-expect-error the package has no types
const stemmers = require('snowball-stemmers');

const { python, root } = require('../../../scripts/lib/runtime');
const { indexedWords } = require('../../../server/client/words.js');
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

test('gives each group of irregular forms one stem', () => {
  for (const [code, { forms }] of Object.entries(languages)) {
    const language = new Language(code);
    const split = forms.filter((group) => new Set(group.split(' ').map((word) => language.stemOf(word))).size > 1);
    expect({ code, split }).toEqual({ code, split: [] });
  }
});
