'use strict';

const { circleIn, readImports } = require('../helpers/import-table');

describe.each(['server', 'scripts'])('imports of %s/', (folder) => {
  const { imports, parts, table } = readImports(folder);

  test('every file belongs to a row of the README, and every row has a file', () => {
    expect(parts.sort()).toEqual([...table.keys()].sort());
  });

  test('a part requires only what its row allows', () => {
    expect(imports.filter(({ from, to }) => !table.get(from)?.includes(to))).toEqual([]);
  });

  test('a row allows nothing that is not used', () => {
    const used = new Set(imports.map(({ from, to }) => `${from} → ${to}`));
    const rules = [...table].flatMap(([from, may]) => may.map((to) => `${from} → ${to}`));
    expect(rules.filter((rule) => !used.has(rule))).toEqual([]);
  });

  test('there is no circle of imports', () => {
    expect(circleIn(table)).toEqual([]);
  });
});
