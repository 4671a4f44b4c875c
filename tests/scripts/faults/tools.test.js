'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { atLeast, atMost, exactly } = require('../../lab/faults/checks');
const { disturb, leastGained, randomDisturbances, settled, workersSeen } = require('../../lab/faults/soak');
const { openDescriptors } = require('../../lab/testbed/processes');

test('a missed target does not pass', () => {
  const missed = [atMost('', 2, 1), atLeast('', 1, 2), exactly('', 1)];
  expect(missed.map(({ pass }) => pass)).toEqual([false, false, false]);
  const met = [atMost('', 1, 1), atLeast('', 2, 2), exactly('', 0)];
  expect(met.map(({ pass }) => pass)).toEqual([true, true, true]);
});

describe('what a process gained', () => {
  /** A sample a minute. @param {number[]} megabytes */
  const life = (megabytes) =>
    megabytes.map((memoryMb, minute) => ({ atMs: minute * 60_000, memoryMb, sockets: 30, cached: 0, files: 20 }));

  test('leaves out the first time of a process, and the processes of another kind', () => {
    /** @type {import('../../lab/faults/soak').Lives} */
    const lives = new Map([
      [1, { kind: 'worker', samples: life([50, 100, 100, 101]) }],
      [2, { kind: 'nginx', samples: life([9]) }],
    ]);
    expect(settled(lives, 'worker', 0)).toEqual([lives.get(1)?.samples]);
    expect(leastGained(settled(lives, 'worker', 60_000), 'memoryMb')).toBe(1);
  });

  test('is the largest rise of one process, and a restart does not count', () => {
    const lives = [life([100, 100, 104, 104, 107, 107]), life([40, 40, 40])];
    expect([leastGained(lives, 'memoryMb'), leastGained(lives, 'files')]).toEqual([7, 0]);
  });

  test('distinguishes sockets that stay open from those that clients open and close', () => {
    const holding = (/** @type {number[]} */ ...counts) =>
      life(counts.map(() => 100)).map((one, index) => ({ ...one, sockets: counts[index] }));
    const busy = holding(40, 300, 90, 500, 60, 45);
    expect(leastGained([busy], 'sockets')).toBe(5);
    expect(leastGained([busy, holding(40, 90, 300, 350, 400, 420)], 'sockets')).toBe(360);
    expect(leastGained([holding(40, 400)], 'sockets')).toBeNaN();
    expect(atMost('', leastGained([], 'sockets'), 200).pass).toBe(false);
  });

  test('counts a worker that ended before its first sample', () => {
    const kinds = ['nginx', 'worker', 'worker', 'worker'];
    expect(workersSeen(new Map(kinds.map((kind, pid) => [pid, { kind, samples: [] }])))).toBe(3);
  });
});

test('distinguishes a cached reply of nginx from other open files', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'descriptors-'));
  const before = openDescriptors(process.pid);
  const files = ['0123456789abcdef0123456789abcdef', 'nginx-access.log'].map((name) =>
    fs.openSync(path.join(dir, name), 'w'),
  );
  fs.rmSync(dir, { recursive: true }); // nginx deletes an expired file and keeps it open for a moment
  const { cached, files: others } = openDescriptors(process.pid);
  expect([cached - before.cached, others - before.files]).toEqual([1, 1]);
  files.forEach((file) => fs.closeSync(file));
});

test('a soak makes every disturbance before it repeats one', () => {
  const endless = randomDisturbances();
  const names = Array.from({ length: 100 }, () => endless.next().value.name);
  const kinds = new Set(names).size;
  expect(kinds).toBeGreaterThan(5);
  for (let from = 0; from + kinds <= names.length; from += kinds)
    expect(new Set(names.slice(from, from + kinds)).size).toBe(kinds);
});

test('a soak ends at a disturbance that it cannot make, names it, and keeps its measurements', async () => {
  /** @type {string[]} */
  const said = [];
  const rig = /** @type {any} */ ({ say: (/** @type {string} */ line) => said.push(line) }); // nothing to disturb
  const { broken, outages } = await disturb(rig, { untilMs: Date.now() + 60_000, everyMinutes: 1e-5 });
  expect(broken.startsWith(`${said[0].replace('soak: ', '')}: `)).toBe(true);
  expect(outages).toEqual([]);
});
