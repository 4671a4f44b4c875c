'use strict';

const { exportAndLoad } = require('../../helpers/exported-catalogs');

test('an export after 2,000 random writes is loaded without a change but of times', async () => {
  const { before, here, elsewhere, repairs } = await exportAndLoad({ products: 400, writes: 2000, seed: 20261129 });
  expect(before.full.length).toBeGreaterThan(500);
  expect(repairs).toBe(0);
  expect(here).toEqual(before);
  expect(elsewhere).toEqual(before);
}, 600_000);
