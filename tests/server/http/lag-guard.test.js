'use strict';

const { LagGuard } = require('../../../server/http/listener/lag-guard');

describe('the lag guard', () => {
  const limitMs = 250;
  /** @type {LagGuard} */
  let guard;
  let nowMs = 0;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    guard = new LagGuard(limitMs);
    guard.open();
  });
  afterEach(() => {
    guard.close();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** One check of the guard. @param {number} lateMs */
  const look = (lateMs) => {
    nowMs += 50 + lateMs;
    jest.advanceTimersByTime(50);
  };

  test('refuses misses while the event loop stays late', () => {
    for (let round = 0; round < 3; round += 1) look(limitMs + 1);
    expect(() => guard.admit()).toThrow('cannot keep up');
  });

  test('refuses nothing after one long pause', () => {
    look(5000);
    expect(() => guard.admit()).not.toThrow();
    look(0);
    expect(guard.late).toBe(false);
  });

  test('admits again as soon as the loop keeps up', () => {
    for (let round = 0; round < 3; round += 1) look(limitMs + 1);
    look(0);
    expect(() => guard.admit()).not.toThrow();
  });
});
