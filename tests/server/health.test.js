'use strict';

const { healthOf } = require('../../server/core/health');

test.each([
  [false, 'up'],
  [true, 'full: load the catalog again'],
])('a worker whose searches are full (%s) stays ready, and says "%s"', (isFull, said) => {
  const version = { live: true, empty: false, outdated: false, current: '1-1', position: { cursor: '1.9' } };
  const { ready, parts } = healthOf({
    redis: null,
    database: { ready: true },
    servers: {},
    version,
    state: { draining: false },
    guard: { late: false },
    searches: { written: { isFull } },
  });
  expect([ready, parts.searches]).toEqual([true, said]);
});
