'use strict';

/** @param {boolean} short @returns {typeof import('../../lab/faults/limits')} with a rig that has what the hooks of suites need */
function limitsOf(short) {
  jest.resetModules();
  const proxies = { postgres: { heal() {} }, redis: { heal() {} } };
  Object.assign(globalThis, { lab: { rig: { short, proxies, workerPids: () => [], ready: async () => {} } } });
  return require('../../lab/faults/limits');
}
const { answered, atLeast, atMost, inTime, judge } = limitsOf(false);
const inShort = limitsOf(true).inTime;

test('a figure beyond its limit fails, and the message shows it beside the others', () => {
  judge({ most: [1, atMost(1)], least: [2, atLeast(2)], ms: [50, inTime(50)] });
  const missed = { most: [2, atMost(1)], least: [1, atLeast(2)], gained: [NaN, atMost(200)], ms: [51, inTime(50)] };
  for (const [name, figure] of Object.entries(missed))
    expect(() => judge({ fine: [1, 1], [name]: /** @type {[any, any]} */ (figure) })).toThrow(name);
});

test('a short run judges no time, but needs one', () => {
  judge({ ms: [9000, inShort(50)] });
  expect(() => judge({ ms: [undefined, inShort(50)] })).toThrow('ms');
});

test('traffic without a request is not answered, and failures are shown', () => {
  const seen = { asked: 0, ok: 0, wrongBodies: 0, failures: [] };
  const judged = (/** @type {object} */ changes) => () => judge(answered(/** @type {any} */ ({ ...seen, ...changes })));
  expect(judged({})).toThrow('asked');
  expect(judged({ asked: 2, ok: 1, failures: ['/a: no reply'] })).toThrow('/a: no reply');
  judged({ asked: 2, ok: 2 })();
});
