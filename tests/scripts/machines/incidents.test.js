'use strict';
const { outcome, sizeOf, writesOf } = require('../../lab/machines/incident');
const { events } = require('../../lab/machines/incidents');

/* Targets of the table of events. `npm run fleet:test -- --part events` measures it. */

const counts = { sent: 9, failed: 0, refused: 0, unsent: 0, again: 0 };
const seen = { ...counts, p99: 1, max: 2, slow: 0, lastFailedMs: 0, failures: [] };
const written = { acknowledged: 9, repeated: 1, pauseMs: 4000, lost: 0, doubled: 0, failures: [] };

test('an event is passed only if every request was sent and none failed', () => {
  expect(outcome(seen)).toMatchObject({ pass: true, measured: expect.stringMatching(/^0 failed of 9; /) });
  expect(outcome(seen, false).pass).toBe(false);
  expect(outcome({ ...seen, failed: 1 }).pass).toBe(false);
  expect(outcome({ ...seen, unsent: 1 })).toMatchObject({
    pass: false,
    measured: expect.stringContaining('1 NOT SENT'),
  });
});

test('writes are fine only if none is lost, doubled or refused, and none waited too long', () => {
  expect(writesOf(written, 4000).fine).toBe(true);
  for (const fault of [{ lost: 1 }, { doubled: 1 }, { failures: ['x'] }, { pauseMs: 4001 }])
    expect(writesOf({ ...written, ...fault }, 4000).fine).toBe(false);
});

test('a short run sends a tenth of the requests', () => {
  expect(sizeOf(50_000, 0.1).requests).toBe(sizeOf(50_000, 1).requests / 10);
});

test('the table has every row of the promise', () => {
  const losses = ['kill', 'freeze', 'drop', 'stuck', 'cache', 'balancer'];
  const changes = ['deploys', 'broken', 'drains', 'nodes'];
  const databases = ['switchover', 'etcd', 'split', 'power'];
  expect(Object.keys(events)).toEqual([...losses, ...changes, 'saturate', ...databases]);
});
