'use strict';

const { Problem } = require('../../../server/core/errors');
const { unknownProduct } = require('../../../server/writer/errors');
const { WriteQueue } = require('../../../server/writer/writes/write-queue');

/** @param {number | null} id @param {string} [kind] @param {number} [size] @returns {any} */
const write = (id, kind = 'patch', size = 100) => ({ id, kind, size });

/**
 * A queue whose transactions end when they are told to.
 * @param {(ids: number[]) => void} [fail] throws for a group that fails
 */
function openQueue(fail = () => {}) {
  /** @type {number[][]} */
  const groups = [];
  /** @type {(() => void)[]} */
  const ends = [];
  const queue = new WriteQueue({
    maxWaiting: 200,
    write: async (writes) => {
      const ids = writes.map(({ id }) => Number(id));
      groups.push(ids);
      if (groups.length === 1) await new Promise((resolve) => ends.push(() => resolve(null)));
      fail(ids);
      return ids.map((id) => (id < 0 ? unknownProduct(id) : { status: id, headers: {}, body: '' }));
    },
  });
  return { queue, groups, endFirst: () => ends[0]() };
}

test('gathers writes while a transaction is under way, a product at most once and in its order', async () => {
  const { queue, groups, endFirst } = openQueue();
  const replies = [write(1), write(2), write(3), write(2), write(4)].map((each) => queue.add(each));
  endFirst();
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([1, 2, 3, 2, 4]);
  expect(groups).toEqual([[1], [2, 3, 4], [2]]);
});

test('takes at most 64 at once', async () => {
  const { queue, groups, endFirst } = openQueue();
  const replies = Array.from({ length: 130 }, (_, index) => queue.add(write(index)));
  endFirst();
  await Promise.all(replies);
  expect(groups.map(({ length }) => length)).toEqual([1, 64, 64, 1]);
});

test('takes at most 256 KB of bodies at once, or one body', async () => {
  const { queue, groups, endFirst } = openQueue();
  const sizes = [1, 2 ** 20, 200_000, 60_000, 60_000, 1];
  const replies = sizes.map((size, index) => queue.add(write(index, 'put', size)));
  endFirst();
  await Promise.all(replies);
  expect(groups).toEqual([[0], [1], [2, 3, 5], [4]]);
});

test('deletes alone, and no later write of the product overtakes', async () => {
  const { queue, groups, endFirst } = openQueue();
  const replies = [write(1), write(2), write(3, 'delete'), write(3), write(4), write(5, 'delete')].map((each) =>
    queue.add(each),
  );
  endFirst();
  await Promise.all(replies);
  expect(groups).toEqual([[1], [2, 4], [3], [3], [5]]);
});

/** @param {number} count @param {number} from @param {object} bulk @param {string} [kind] */
const lines = (count, from, bulk, kind) =>
  Array.from({ length: count }, (_, index) => ({ ...write(from + index, kind), bulk }));

test('single writes and lines of bulk requests take turns in being first, and share groups', async () => {
  const { queue, groups, endFirst } = openQueue();
  const waiting = [write(0), ...lines(200, 1000, {}), write(1), write(2)];
  const replies = waiting.map((each) => queue.add(each));
  endFirst();
  await Promise.all(replies);
  const [, second, third] = groups;
  expect(second.every((id) => id >= 1000)).toBe(true);
  expect([third[0], third[1], third.length]).toEqual([1, 2, 64]);
  expect(groups.flat().filter((id) => id >= 1000)).toEqual(lines(200, 1000, {}).map(({ id }) => id));
});

test('deletions of one bulk request are done together, up to 16, and others alone', async () => {
  const { queue, groups, endFirst } = openQueue();
  const [one, other] = [{}, {}];
  const waiting = [write(0), ...lines(20, 100, one, 'delete'), ...lines(2, 200, other, 'delete'), write(1, 'delete')];
  const replies = waiting.map((each) => queue.add(each));
  endFirst();
  await Promise.all(replies);
  expect(groups.map(({ length }) => length).sort((a, b) => b - a)).toEqual([16, 4, 2, 1, 1]);
});

test('lines of bulk requests do not count as writes that wait', async () => {
  const { queue, endFirst } = openQueue();
  const replies = lines(300, 0, {}).map((each) => queue.add(each));
  replies.push(queue.add(write(1000)));
  endFirst();
  await Promise.all(replies);
});

test('refuses one write and does the others', async () => {
  const { queue, endFirst } = openQueue();
  const replies = [write(1), write(-2), write(3)].map((each) => queue.add(each));
  endFirst();
  const settled = await Promise.allSettled(replies);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('finds the one write with an unexpected error by halves', async () => {
  const { queue, groups, endFirst } = openQueue((ids) => {
    if (ids.includes(13)) throw new Error('unexpected');
  });
  const replies = Array.from({ length: 17 }, (_, index) => queue.add(write(index)));
  endFirst();
  const settled = await Promise.allSettled(replies);
  expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([13]);
  expect(groups.length).toBeLessThan(12);
});

test('tries a write again that met other writers, each of them in another way', async () => {
  const met = ['40P01', '23505', '23505'];
  const { queue, endFirst } = openQueue((ids) => {
    const code = ids.includes(2) && met.shift();
    if (code) throw Object.assign(new Error('met'), { code });
  });
  const replies = [write(1), write(2)].map((each) => queue.add(each));
  endFirst();
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([1, 2]);
});

test('a write that breaks a rule of the database at each try hinders no other', async () => {
  const broken = Object.assign(new Error('duplicate key'), { code: '23505' });
  const { queue, endFirst } = openQueue((ids) => {
    if (ids.includes(2)) throw broken;
  });
  const replies = [write(1), write(2), write(3)].map((each) => queue.add(each));
  endFirst();
  const settled = await Promise.allSettled(replies);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(/** @type {any} */ (settled[1]).reason).toBe(broken);
});

test('answers a whole group 503 when the database is away, and goes on', async () => {
  const { queue, groups, endFirst } = openQueue((ids) => {
    if (ids.includes(2)) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
  });
  const replies = [write(1), write(2), write(3)].map((each) => queue.add(each));
  endFirst();
  const settled = await Promise.allSettled(replies);
  expect(settled.slice(1).map((each) => /** @type {any} */ (each).reason.status)).toEqual([503, 503]);
  expect(groups).toHaveLength(2);
  expect((await queue.add(write(4))).status).toBe(4);
});

test('refuses a write when too many wait', async () => {
  const { queue, endFirst } = openQueue();
  const replies = Array.from({ length: 201 }, () => queue.add(write(1)));
  expect(() => queue.add(write(1))).toThrow(Problem);
  endFirst();
  await Promise.all(replies);
});
