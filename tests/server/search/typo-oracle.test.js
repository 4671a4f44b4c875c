'use strict';

const { answersOfBoth } = require('../../helpers/search-python');

test.each([
  { products: 24, queries: 50, seed: 21 },
  { products: 300, queries: 250, seed: 22 },
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
