'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { atLeast, atMost, exactly } = require('../../../scripts/faults/checks');
const { disturb, randomDisturbances } = require('../../../scripts/faults/soak');
const { openDescriptors } = require('../../../scripts/testbed/processes');
const { judgeNpm, judgePip } = require('../../../scripts/faults/suites/supply');
const { calmOf, leastGained, percentPerHour, stretchesOf, workersSeen } = require('../../../scripts/faults/trend');

test('a missed target does not pass', () => {
  const missed = [atMost('', 2, 1), atLeast('', 1, 2), exactly('', 1)];
  expect(missed.map(({ pass }) => pass)).toEqual([false, false, false]);
  const met = [atMost('', 1, 1), atLeast('', 2, 2), exactly('', 0)];
  expect(met.map(({ pass }) => pass)).toEqual([true, true, true]);
});

describe('a slope of memory', () => {
  /** A sample a minute. @param {number} sinceMinute @param {number[]} megabytes */
  const life = (sinceMinute, megabytes) =>
    megabytes.map((memoryMb, index) => ({
      atMs: (sinceMinute + index) * 60_000,
      memoryMb,
      sockets: 30,
      cached: 0,
      files: 20,
    }));
  const minute = (/** @type {number} */ at) => at * 60_000;
  const leaking = life(0, [100, 101, 102, 103]);

  test('is the gain of each process, whatever its first value', () => {
    expect(percentPerHour([leaking], 'files')).toBe(0);
    expect(percentPerHour([leaking], 'memoryMb')).toBeCloseTo((100 * 60) / 101.5, 5);
    const steady = [life(0, [100, 100, 100]), life(60, [40, 40, 40])]; // a restart is no fall
    expect(percentPerHour(steady, 'memoryMb')).toBe(0);
  });

  test('leaves out the start of a process, a fault, and the minute in which its connections still close', () => {
    /** @type {import('../../../scripts/faults/trend').Lives} */
    const lives = new Map([
      [1, { kind: 'worker', sinceMs: 0, samples: life(0, [100, 150, 150, 100, 100]) }],
      [2, { kind: 'nginx', sinceMs: 0, samples: life(0, [9]) }],
    ]);
    const [calm] = calmOf(lives, 'worker', { outages: [{ fromMs: minute(0.9), toMs: minute(1.1) }], settleMs: 0 });
    expect(calm.map(({ atMs }) => atMs)).toEqual([0, 3, 4].map(minute));
    expect(calmOf(lives, 'worker', { outages: [], settleMs: 0 })).toEqual([lives.get(1)?.samples]);
    const [later] = calmOf(lives, 'worker', { outages: [], settleMs: minute(2) });
    expect(later.map(({ atMs }) => atMs)).toEqual([2, 3, 4].map(minute));
  });

  test('takes the step at a fault as a gain, and growth between two faults as a slope', () => {
    const outages = [2.5, 5.5].map((at) => ({ fromMs: minute(at), toMs: minute(at + 0.1) }));
    const held = (/** @type {number} */ growing) =>
      [100, 100, 100, 104, 104, 104, 107, 107, 107].map((megabytes, index) => megabytes + growing * index);
    const slope = (/** @type {number} */ growing) =>
      percentPerHour(stretchesOf([life(0, held(growing))], outages), 'memoryMb');
    expect(slope(0)).toBe(0);
    expect(slope(0.1)).toBeCloseTo((100 * 60 * 0.1) / (311 / 3 + 0.4), 5);
    expect(leastGained([life(0, held(0))], 'memoryMb')).toBe(7);
  });

  test('tells sockets that stay open from those that clients open and close', () => {
    const holding = (/** @type {number[]} */ ...counts) =>
      life(
        0,
        counts.map(() => 100),
      ).map((one, index) => ({ ...one, sockets: counts[index] }));
    const busy = holding(40, 300, 90, 500, 60, 45);
    expect(leastGained([busy], 'sockets')).toBe(5);
    expect(leastGained([busy, holding(40, 90, 300, 350, 400, 420)], 'sockets')).toBe(360);
    expect(leastGained([holding(40, 400)], 'sockets')).toBeNaN();
    expect(atMost('', leastGained([], 'sockets'), 200).pass).toBe(false);
  });

  test('counts a worker that ended before its first sample', () => {
    const lived = { sinceMs: 0, samples: [] };
    const kinds = /** @type {const} */ (['nginx', 'worker', 'worker', 'worker']);
    expect(workersSeen(new Map(kinds.map((kind, pid) => [pid, { kind, ...lived }])))).toBe(3);
  });

  test('is not a number, which meets no target, when no process lived long enough', () => {
    const slope = percentPerHour([life(0, [100]), []], 'memoryMb');
    expect(atMost('', slope, 5).pass).toBe(false);
  });
});

test('tells a cached reply of nginx from other open files', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'descriptors-'));
  const before = openDescriptors(process.pid);
  const files = ['0123456789abcdef0123456789abcdef', 'nginx-access.log'].map((name) =>
    fs.openSync(path.join(dir, name), 'w'),
  );
  fs.rmSync(dir, { recursive: true }); // nginx deletes what has expired and still holds it for a moment
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

describe('an audit', () => {
  const sound = { name: 'sound', vulns: [] };
  test('does not pass packages that the index does not know, though pip-audit ends with status 0', () => {
    const unknown = { name: 'unknown', skip_reason: 'not found' };
    expect(() => judgePip({ dependencies: [sound, unknown] })).toThrow('1 of 2 not looked up');
  });

  test('tells vulnerable packages from sound ones', () => {
    const weak = { name: 'weak', vulns: [{ id: 'CVE' }] };
    expect(judgePip({ dependencies: [sound] })).toMatchObject([{ pass: true }]);
    expect(judgePip({ dependencies: [sound, weak] })).toMatchObject([{ pass: false }]);
    const npm = (/** @type {number} */ high) => ({
      metadata: { vulnerabilities: { high, critical: 0, low: 3 }, dependencies: { total: 9 } },
    });
    expect(judgeNpm(npm(0))).toMatchObject([{ pass: true }]);
    expect(judgeNpm(npm(1))).toMatchObject([{ pass: false }]);
    expect(() => judgeNpm({ message: '405 Method Not Allowed' })).toThrow('405');
  });
});
