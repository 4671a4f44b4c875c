'use strict';

const { exportAndLoad } = require('../../helpers/exported-catalogs');

describe('an export after random writes', () => {
  /** @type {Awaited<ReturnType<typeof exportAndLoad>>} */
  let found;
  beforeAll(async () => {
    found = await exportAndLoad({ products: 60, writes: 120, seed: 20261128 });
  }, 240_000);

  test('has rows of products that the files lacked, and is loaded without a repair', () => {
    const created = found.before.full.filter((/** @type {string} */ line) => JSON.parse(line).id >= 1_500_000_000);
    expect([created.length > 5, found.repairs]).toEqual([true, 0]);
    expect(found.manifest.files['product.csv'].rows).toBe(found.before.full.length);
  });

  test('loaded as of its cursor changes no reply, no card and no search but for times', () => {
    expect(found.here).toEqual(found.before);
    expect(found.said[1]).toMatch(
      /is served .*: 0 products added, 0 changed, \d+ restocked, 0 removed; replayed writes of 0 products/,
    );
  });

  test('loaded into another database has the same replies, cards and searches', () => {
    expect(found.elsewhere).toEqual(found.before);
  });
});
