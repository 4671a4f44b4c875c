'use strict';
const { Direction } = require('../../lab/testbed/proxy');

describe('one direction of a connection', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** @param {Partial<import('../../lab/testbed/proxy').Misbehaviour>} faults @param {boolean} isReply */
  function watched(faults, isReply) {
    /** @type {string[]} */
    const written = [];
    const to = /** @type {any} */ ({
      write: (/** @type {Buffer} */ piece) => written.push(`${piece}`),
    });
    const none = { refused: false, held: false, delayMs: 0, jitterMs: 0, cutAfterBytes: 0 };
    const direction = new Direction(to, { ...none, ...faults }, isReply);
    return { written, pass: (/** @type {string} */ text) => direction.pass(Buffer.from(text)) };
  }

  test.each([false, true])('delays each piece and keeps their order (a reply: %s)', async (isReply) => {
    const { written, pass } = watched({ delayMs: 1000, jitterMs: 500 }, isReply);
    for (const text of '123456') pass(text);
    await jest.advanceTimersByTimeAsync(499);
    expect(written).toEqual([]);
    await jest.advanceTimersByTimeAsync(1001);
    expect(written).toEqual([...'123456']);
  });
});
