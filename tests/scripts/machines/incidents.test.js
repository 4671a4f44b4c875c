'use strict';
const { answered, kept, sizeOf } = require('../../lab/machines/incident');
const { incidents } = require('../../lab/machines/incidents');
const { judge } = require('../../lab/judge');

/* Targets of the table of incidents. `npm run fleet:test -- --part incidents` measures it. */

const counts = { asked: 9, ok: 9, unsent: 0, p99Ms: 1, maxMs: 2, slow: 0, failures: ['/a: no reply'] };
const seen = /** @type {import('../../lab/machines/incident').Seen} */ (/** @type {unknown} */ (counts));
const written = { acknowledged: 9, repeated: 1, pauseMs: 4000, lost: 0, doubled: 0, failures: [] };

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

test('a short run sends a tenth of the requests', () => {
  expect(sizeOf(50_000, 0.1).requests).toBe(sizeOf(50_000, 1).requests / 10);
});

test('the table has every row of the promise', () => {
  const losses = ['kill', 'freeze', 'drop', 'stuck', 'cache', 'balancer'];
  const changes = ['deploys', 'broken', 'drains', 'nodes'];
  const databases = ['switchover', 'etcd', 'split', 'power'];
  expect(Object.keys(incidents)).toEqual([...losses, ...changes, 'saturate', ...databases]);
});
