'use strict';

const { closeAll, openAll } = require('../../server/core/lifecycle');

/** @param {string[]} seen @param {string} name @param {'open' | 'close'} [fails] */
const part = (seen, name, fails) => {
  const step = (/** @type {'open' | 'close'} */ kind) => async () => {
    seen.push(`${kind} ${name}`);
    if (kind === fails) throw new Error(`${name} cannot ${kind}`);
  };
  return { name, open: step('open'), close: step('close') };
};

test('when a part does not open, those before it are closed in reverse', async () => {
  /** @type {string[]} */
  const seen = [];
  const parts = [part(seen, 'a'), part(seen, 'b', 'close'), part(seen, 'c', 'open'), part(seen, 'd')];
  await expect(openAll(parts)).rejects.toThrow('c cannot open');
  expect(seen).toEqual(['open a', 'open b', 'open c', 'close b', 'close a']);
});

test('a part that does not close keeps no other open, and is reported', async () => {
  /** @type {string[]} */
  const seen = [];
  const errors = await closeAll([part(seen, 'a', 'close'), part(seen, 'b'), part(seen, 'c', 'close')]);
  expect(seen).toEqual(['close c', 'close b', 'close a']);
  expect(errors.map(({ message, cause }) => [message, String(cause)])).toEqual([
    ['closing c failed', 'Error: c cannot close'],
    ['closing a failed', 'Error: a cannot close'],
  ]);
});
