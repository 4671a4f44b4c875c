'use strict';
const { answered, kept } = require('../../lab/machines/incident');
const { atLeast, atMost, judge } = require('../../lab/judge');

/* Verdicts on what faults and incidents measure. */

const counts = { asked: 9, ok: 9, unsent: 0, p99Ms: 1, maxMs: 2, slow: 0, failures: ['/a: no reply'] };
const seen = /** @type {import('../../lab/machines/incident').Seen} */ (/** @type {unknown} */ (counts));
const written = { acknowledged: 9, repeated: 1, pauseMs: 4000, lost: 0, doubled: 0, failures: [] };

test('a figure beyond its limit fails, and the message shows it beside the others', () => {
  judge({ most: [1, atMost(1)], least: [2, atLeast(2)], shown: [3] });
  expect(() => judge({ fine: [1, 1], most: [2, atMost(1)] })).toThrow(/"fine": 1,[^]*"most": at most 1,/);
  expect(() => judge({ least: [1, atLeast(2)] })).toThrow('"least": at least 2,');
  expect(() => judge({ unknown: [NaN, atMost(200)] })).toThrow('"unknown": NaN,');
});

test('an incident is passed only if every request was sent and none failed', () => {
  judge(answered(seen));
  expect(() => judge(answered({ ...seen, ok: 8 }))).toThrow(/"failed": 1,[^]*no reply/);
  expect(() => judge(answered({ ...seen, unsent: 1 }))).toThrow('"unsent": 1,');
});

test('writes are fine only if none is lost, doubled or refused, and none waited too long', () => {
  judge(kept(written, 4000));
  for (const fault of [{ lost: 1 }, { doubled: 1 }, { failures: ['x'] }, { pauseMs: 4001 }])
    expect(() => judge(kept({ ...written, ...fault }, 4000))).toThrow();
});
