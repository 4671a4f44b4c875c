'use strict';

const { answersOfBoth } = require('../../helpers/search-python');

test.each([
  { products: 60, queries: 500, seed: 31 },
  { products: 300, queries: 1000, seed: 32 },
  { products: 900, queries: 500, seed: 33 },
])(
  'typos, prefixes and dropped words of $queries random queries over $products products are those of an oracle in Python',
  async (size) => {
    const { engine, oracle } = await answersOfBoth(size);
    expect(engine.filter(({ words }) => words.some(({ typos }) => typos > 0)).length).toBeGreaterThan(
      size.queries / 20,
    );
    expect(engine.filter(({ ignored }) => ignored.length > 0).length).toBeGreaterThan(size.queries / 20);
    expect(engine).toEqual(oracle);
  },
);
