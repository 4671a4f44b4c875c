'use strict';
const { machineTicks, processTicks } = require('../../../scripts/lib/proc');

test('reads the CPU of a machine, and of a process with brackets in its name', () => {
  expect(machineTicks('cpu  10 1 5 1000 30 2 3 4 0 0\ncpu0 1 1 1 1\n')).toEqual({ busy: 25, stolen: 4 });
  const stat = `42 (k6) 1 2 (x)) S ${Array.from({ length: 40 }, (_, n) => n).join(' ')}`;
  expect(processTicks(stat)).toBe(10 + 11);
});
