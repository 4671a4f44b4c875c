'use strict';

const { LRUCache } = require('lru-cache');

const { Entry } = require('../../../server/cache/entry');
const { MissedWords } = require('../../../server/observe/missed-words');
const { SearchCounts } = require('../../../server/observe/search-counts');

const MINUTE_MS = 60_000;

/** Counts under a clock that a test moves. @param {number} leastMinutes */
function counting(leastMinutes) {
  const clock = { ms: 0 };
  const missed = new MissedWords(leastMinutes, () => clock.ms);
  return { clock, missed, counts: new SearchCounts(missed) };
}

/**
 * A reply as the catalog writes it.
 * @param {string[]} ignored @param {{ total?: number, name?: string }} [more]
 */
function reply(ignored, { total = 0, name = '' } = {}) {
  const items = Array.from({ length: total }, (_, index) => ({ id: index + 1, name }));
  const query = { words: [], optional: [], ignored };
  return new Entry('1/searches/x', Buffer.from(JSON.stringify({ total, items, next: null, query, facets: [] })));
}

describe('a missed word', () => {
  test('is listed from its k-th different minute on, with all searches for it', () => {
    const { clock, missed, counts } = counting(3);
    for (const [minute, times] of Object.entries([4, 1, 0, 2])) {
      expect(missed.list).toEqual([]);
      clock.ms = (Number(minute) + 0.5) * MINUTE_MS;
      for (let time = 0; time < times; time += 1) counts.count(reply(['zorgon']));
    }
    expect(missed.list).toEqual([{ word: 'zorgon', minutes: 3, searches: 7, empty: 7 }]);
  });

  test('is no text in memory before its k-th minute', () => {
    const set = jest.spyOn(LRUCache.prototype, 'set');
    const { clock, missed } = counting(2);
    const kept = () => JSON.stringify(set.mock.calls);
    missed.add('zorgon', true);
    expect(kept()).toContain('"searches":1');
    expect(kept()).not.toContain('zorgon');
    clock.ms = MINUTE_MS;
    missed.add('zorgon', true);
    expect(kept()).toContain('zorgon');
    set.mockRestore();
  });

  test('with most minutes is first, and of equal ones that with most searches', () => {
    const { clock, missed } = counting(1);
    for (const word of ['once', 'often', 'often', 'twice']) missed.add(word, false);
    clock.ms = MINUTE_MS;
    missed.add('twice', true);
    expect(missed.list.map(({ word, empty }) => [word, empty])).toEqual([
      ['twice', 1],
      ['often', 0],
      ['once', 0],
    ]);
  });

  test('of more than 64 characters is not kept', () => {
    const { missed } = counting(1);
    for (const length of [64, 65]) missed.add('x'.repeat(length), true);
    expect(missed.list.map(({ word }) => word.length)).toEqual([64]);
  });

  test('that others have pushed out of 2,000 is forgotten', () => {
    const { missed } = counting(1);
    for (const word of ['kept', 'gone', 'kept']) missed.add(word, true);
    for (let index = 0; index < 1999; index += 1) missed.add(`other ${index}`, true);
    const words = missed.list.map(({ word }) => word);
    expect([words.length, words.includes('kept'), words.includes('gone')]).toEqual([2000, true, false]);
  });
});

describe('searches are counted', () => {
  test.each([
    ['found with all words', reply([], { total: 1 }), 'found', []],
    ['found without two words', reply(['zorgon', 'قبعة'], { total: 1 }), 'reduced', ['zorgon', 'قبعة']],
    ['found nothing for a word', reply(['zorgon']), 'empty', ['zorgon']],
    ['found nothing behind filters', reply([]), 'empty', []],
    ['are signs alone', reply(['-']), 'empty', []],
    [
      'have a product whose name looks like a reply',
      reply(['a'], { total: 1, name: '","ignored":[],"' }),
      'reduced',
      ['a'],
    ],
    ['have a reply that is no string', reply(['zorgon'], { total: 1000, name: 'Möbel' }), 'reduced', ['zorgon']],
  ])('that %s', (_, entry, outcome, words) => {
    const { missed, counts } = counting(1);
    counts.count(entry);
    expect(counts.outcomes).toEqual({ found: 0, reduced: 0, empty: 0, [outcome]: 1 });
    expect(counts.droppedWords).toBe(words.length);
    expect(new Set(missed.list.map(({ word }) => word))).toEqual(new Set(words));
  });

  test('at each request, and each reply is parsed once', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const { counts } = counting(1);
    const [complete, reduced] = [reply([], { total: 1 }), reply(['zorgon'], { total: 1 })];
    for (const entry of [complete, reduced, complete, reduced, reduced]) counts.count(entry);
    expect([counts.outcomes, counts.droppedWords]).toEqual([{ found: 2, reduced: 3, empty: 0 }, 3]);
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
  });

  test('once they are answered, and not those that fail', async () => {
    const { counts } = counting(1);
    counts.count(Promise.reject(new Error('The database is away.')));
    const found = Promise.resolve(reply(['zorgon']));
    counts.count(found);
    await found;
    expect(counts.outcomes).toEqual({ found: 0, reduced: 0, empty: 1 });
  });
});
