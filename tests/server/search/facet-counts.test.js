'use strict';

const { FacetCounts } = require('../../../server/search/facets/facets');
const { OrdinalSet } = require('../../../server/search/sets/ordinal-set');
const { picking, seeded } = require('../../helpers/search-products');

const SIZE = 2000;

/** @param {Iterable<number>} ordinals */
const setOf = (ordinals) => {
  const sorted = Int32Array.from(ordinals).sort();
  return new OrdinalSet(SIZE, sorted.length, { ordinals: sorted });
};

test.each([1, 3, 10, 500])(
  'the %d most frequent values and the number of others are exact, whatever was skipped',
  (limit) => {
    const { below } = picking(seeded(limit));
    for (let round = 0; round < 40; round += 1) {
      const lists = Array.from({ length: 60 }, () => new Set(Array.from({ length: 1 + below(12) }, () => below(SIZE))));
      const values = lists.map((list, index) => ({
        value: String.fromCodePoint(0xff00 + ((index * 37) % 60) * 4000),
        list,
      }));
      values.sort((a, b) => b.list.size - a.list.size || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
      const base = new Set(Array.from({ length: 900 }, () => below(SIZE)));
      const selected = new Set([values[55].value, values[20].value]);
      const counts = new FacetCounts(setOf(base), { selected, limit });
      for (let from = 0; from < values.length; from += 7) {
        const some = values.slice(from, from + 7);
        counts.add(some.map(({ value, list }) => [value, list.size]), some.map(({ list }) => setOf(list))); // prettier-ignore
      }
      const wanted = values
        .map(({ value, list }) => ({
          value,
          count: [...list].filter((each) => base.has(each)).length,
          selected: selected.has(value),
        }))
        .filter((each) => each.count > 0 || each.selected)
        .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
      const listed = wanted.filter((each, index) => index < limit || each.selected);
      expect({ values: counts.values, more: counts.more }).toEqual({
        values: listed,
        more: wanted.length - listed.length,
      });
    }
  },
);
