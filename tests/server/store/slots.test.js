'use strict';

const { createRandom } = require('../../../scripts/generate/random');
const { MASK, Slots } = require('../../../server/store/servers/log-position');

/** Some share a slot. */
const ids = [1, 2, 3, MASK, 1 + MASK + 1, 2 + 5 * (MASK + 1), 2147483647];
const slotOf = (/** @type {number} */ id) => id % (MASK + 1);

/** @param {(bound: number) => number} below @param {number} count */
function randomCommits(below, count) {
  const some = () => ids.filter(() => below(4) === 0);
  return Array.from({ length: count }, (_, index) => ({ seq: index + 1, content: some(), restocked: some() }));
}

/** The last commit that changed a reply of some product in the slot. @param {ReturnType<typeof randomCommits>} commits @param {number} id @param {boolean} ofStyles */
const lastOf = (commits, id, ofStyles) =>
  commits.findLast(({ content, restocked }) =>
    [...content, ...(ofStyles ? restocked : [])].some((one) => slotOf(one) === slotOf(id)),
  )?.seq ?? 0;

test('a slot has the last commit of its products, after each of a thousand random commits', () => {
  const commits = randomCommits(createRandom(7), 1000);
  const slots = new Slots();
  for (const [index, commit] of commits.entries()) {
    slots.apply(commit);
    const soFar = commits.slice(Math.max(0, index - 100), index + 1);
    for (const id of ids)
      expect([slots.seqOf('product', id), slots.seqOf('related', id), slots.seqOf('styles', id)]).toEqual([
        lastOf(soFar, id, false),
        lastOf(soFar, id, false),
        lastOf(soFar, id, true),
      ]);
  }
});

test('a product in no commit keeps its number', () => {
  const slots = new Slots();
  slots.apply({ seq: 5, content: [8], restocked: [9] });
  expect(slots.seqOf('product', 9)).toBe(0);
  expect(slots.seqOf('styles', 10)).toBe(0);
});

test('rows of the server replace all that was known', () => {
  const slots = new Slots();
  slots.apply({ seq: 5, content: [8], restocked: [] });
  slots.replace({ slots: [9, 10], productSeqs: [3, 0], stylesSeqs: [3, 4] });
  const seqs = [8, 9, 10].map((id) => [slots.seqOf('product', id), slots.seqOf('styles', id)]);
  expect(seqs).toEqual([
    [0, 0],
    [3, 3],
    [0, 4],
  ]);
});
