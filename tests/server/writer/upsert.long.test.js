'use strict';

const { writeColumns, writePart } = require('../../helpers/parts');
const { beginParts } = require('../../helpers/upserts');

describe.each([1, 2, 3])('random parts, seed %d', (seed) => {
  /** @type {Awaited<ReturnType<typeof beginParts>>} */
  let parts;
  beforeAll(async () => {
    parts = await beginParts({ products: 60, seed });
  }, 120_000);
  afterAll(() => parts?.end());

  test.each([
    ['a part of all files', writePart],
    ['a second one', writePart],
    ['a part of some columns', writeColumns],
  ])(
    '%s makes what a load of the merged files makes, and again nothing',
    async (_, write) => {
      const part = await parts.upsert(write);
      expect(await parts.replies()).toEqual(await parts.merged());
      await parts.verify();
      const before = await parts.commits();
      await parts.again(part);
      expect(await parts.commits()).toBe(before);
    },
    240_000,
  );
});
