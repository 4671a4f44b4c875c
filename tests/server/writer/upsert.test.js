'use strict';

const { writeColumns, writePart } = require('../../helpers/parts');
const { beginParts } = require('../../helpers/upserts');

/** @type {Awaited<ReturnType<typeof beginParts>>} */
let parts;
beforeAll(async () => {
  parts = await beginParts({ products: 12, seed: 20261128 });
}, 60_000);
afterAll(() => parts?.end());

test('parts of all files and of some columns make what a load of the merged files makes', async () => {
  await parts.upsert(writePart);
  await parts.upsert(writeColumns);
  expect(await parts.replies()).toEqual(await parts.merged());
}, 120_000);
