'use strict';

const { authority, inOrder, mayAnswer } = require('../../server/store/server-choice');
const { overBudget } = require('../../server/store/connection-budget');
const { hedged } = require('../../server/store/hedge');

/** @param {Partial<import('../../server/store/server-watch').Status>} [more] */
const status = (more) => ({ token: '2-200', recovering: true, timeline: 0, lagMs: 0, ...more });
const primary = status({ recovering: false, timeline: 1 });

describe('the data version is that of', () => {
  test('the server that takes writes, even when its replica seems newer', () => {
    const ahead = status({ token: '3-300' });
    expect(authority([ahead, primary])).toBe(primary);
  });

  test('the one promoted last, when an old primary comes back', () => {
    const promoted = status({ recovering: false, timeline: 2, token: '2-150' });
    expect(authority([promoted, primary])).toBe(promoted);
  });

  test('the freshest replica, when no server takes writes', () => {
    const behind = status({ token: '1-100' });
    const fresh = status();
    expect(authority([null, behind, fresh])).toBe(fresh);
  });

  test('nobody, when all are away', () => {
    expect(authority([null, null])).toBeNull();
  });
});

describe('a server may answer for a version', () => {
  /** @param {string | null} token @param {boolean} [ready] */
  const server = (token, ready = true) => ({
    database: { ready },
    watch: { status: token ? status({ token }) : null },
  });

  test.each([
    ['the same', '2-200', true],
    ['a later one', '3-300', true],
    ['an older one', '1-100', false],
    ['a higher number of an older database', '9-100', false],
    ['nothing known', null, false],
  ])('when it has it: %s', (_, token, expected) => {
    expect(mayAnswer(server(token), '2-200')).toBe(expected);
  });

  test('only while it is connected', () => {
    expect(mayAnswer(server('2-200', false), '2-200')).toBe(false);
  });
});

test('a server that lags or was silent is asked last, and is asked', () => {
  const server = (/** @type {string} */ name, lagMs = 0, suspectUntilMs = 0) => ({
    name,
    watch: { status: status({ lagMs }) },
    suspectUntilMs,
  });
  const names = (/** @type {ReturnType<typeof server>[]} */ ...servers) =>
    inOrder(servers, 1000, 50).map(({ name }) => name);
  expect(names(server('replica'), server('primary'))).toEqual(['replica', 'primary']);
  expect(names(server('replica', 1001), server('primary'))).toEqual(['primary', 'replica']);
  expect(names(server('replica', 0, 51), server('primary'))).toEqual(['primary', 'replica']);
});

describe('a hedged read', () => {
  const never = () => new Promise(() => {});
  const no = (/** @type {string} */ why) => () => Promise.reject(new Error(why));
  const options = { delayMs: 1, late: () => {} };

  test('asks the second only when it must', async () => {
    const second = jest.fn(async () => 'second');
    const late = jest.fn();
    await expect(hedged(async () => 'first', second, { delayMs: 2 ** 31 - 1, late })).resolves.toBe(
      'first',
    );
    expect(second).not.toHaveBeenCalled();
    expect(late).not.toHaveBeenCalled();
  });

  test('is answered by the second when the first is silent, and says so', async () => {
    const late = jest.fn();
    await expect(hedged(never, async () => 'second', { delayMs: 1, late })).resolves.toBe('second');
    expect(late).toHaveBeenCalledTimes(1);
  });

  test('is answered by the second when the first fails', async () => {
    await expect(hedged(no('first'), async () => 'second', options)).resolves.toBe('second');
  });

  test("fails once both did, with the first one's reason", async () => {
    await expect(hedged(no('first'), no('second'), options)).rejects.toThrow('first');
  });
});

test('connections above 80 % of what the database gives are told with what to change', () => {
  const fleet = { perWorker: 4, limit: 97 };
  expect(overBudget({ ...fleet, workers: 19 })).toBeNull();
  expect(overBudget({ ...fleet, workers: 20 })).toMatch(
    /20 workers × 4 .* = 80, .*\(77\).*max_connections/,
  );
});
