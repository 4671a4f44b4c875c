'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { killsRedis } = require('../../lab/faults/actions');
const { exactly, holds } = require('../../lab/faults/checks');
const { exitStatus, faults, runFault, runs, summary, totals, writeResults } = require('../../lab/faults/run');
const { refusedInOrder } = require('../../lab/faults/scenario');
const { counterOf } = require('../../lab/testbed/worker');

const proxies = { postgres: { heal() {} }, redis: { heal() {} } };
/** @param {Partial<import('../../lab/testbed/rig').Rig>} [rest] */
const rigOf = (rest) => /** @type {any} */ ({ proxies, ready: async () => {}, workerPids: () => [], ...rest });
/** @param {import('../../lab/faults/run').Runs['']} run */
const fault = (run) => ({ id: 'X1', title: 'A fault', done: 'nothing', run });
const fine = async () => [holds('fine', true)];

test('the index describes every fault of the suites once', () => {
  expect(faults.map(({ id }) => id).toSorted()).toEqual(Object.keys(runs).toSorted());
});

describe('a fault', () => {
  test('fails when the chain is not ready afterwards, and keeps its measurements', async () => {
    const ready = () => Promise.reject(new Error('the workers are not ready'));
    const { checks } = await runFault(rigOf({ ready }), fault(fine));
    expect(checks.map(({ pass, measured }) => [pass, measured])).toEqual([
      [true, 'yes'],
      [true, '0'],
      [false, 'the workers are not ready'],
    ]);
  });

  test('fails when it throws, with the first line of the error', async () => {
    const { checks } = await runFault(
      rigOf(),
      fault(() => Promise.reject(new Error('no server\nand more'))),
    );
    expect(checks).toMatchObject([{ pass: false, measured: 'no server' }, { pass: true }]);
  });

  test('fails when a worker ended, unless it ends workers', async () => {
    const missed = async (/** @type {boolean} */ endsWorkers) => {
      const pids = [
        [7, 8],
        [7, 9],
      ].values();
      const workerPids = () => pids.next().value ?? [7, 9];
      const { checks } = await runFault(rigOf({ workerPids }), { ...fault(fine), endsWorkers });
      return checks.filter(({ pass }) => !pass).map(({ what, measured }) => `${what}: ${measured}`);
    };
    expect(await missed(false)).toEqual(['workers that ended: 1']);
    expect(await missed(true)).toEqual([]);
  });
});

test('a signal to a server that has ended names it', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  const rig = /** @type {any} */ ({ servers: { valkey: { pid: child.pid } } });
  const { inject } = killsRedis(rig);
  expect(() => inject?.()).toThrow(`Valkey (process ${child.pid}) has ended before SIGKILL: see its log`);
});

describe('a run', () => {
  const result = (/** @type {import('../../lab/faults/checks').Check[]} */ ...checks) => ({
    ...{ id: 'X1', title: 'A fault', done: 'nothing', checks, seconds: 1 },
  });
  const [met, missed] = [exactly('errors', 0), { ...exactly('errors', 7), failures: ['/a: no reply', '/b: 502'] }];
  const skipped = { ...result(), skipped: 'needs root' };

  test('ends with 1 for a missed target, else with 2 for a fault that was not made', () => {
    expect(exitStatus([result(met)])).toBe(0);
    expect(exitStatus([result(met), skipped])).toBe(2);
    expect(exitStatus([result(met, missed), skipped])).toBe(1);
    expect([exitStatus([]), exitStatus([result()])]).toEqual([2, 1]);
  });

  test('prints a verdict for each fault, with what was missed', () => {
    const lines = (/** @type {import('../../lab/faults/run').Result} */ one) => summary([one]).split('\n');
    expect(lines(result(met))).toEqual([expect.stringMatching(/^ok +X1 A fault \(1 s\)$/)]);
    expect(lines(result(missed, met))).toEqual([
      expect.stringMatching(/^FAIL +X1/),
      expect.stringMatching(/errors: 7, target 0/),
      expect.stringMatching(/\/a: no reply/),
      expect.stringMatching(/\/b: 502/),
    ]);
    expect(lines(skipped)).toEqual([expect.stringMatching(/^SKIPPED +X1 A fault: needs root$/)]);
    const all = [result(met), result(missed), result(met), skipped];
    expect(totals(all)).toBe('2 of 4 faults passed, 1 failed, 1 skipped');
  });

  test('writes every measured value with the rate and the machine', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-results-'));
    const run = { date: '2026-11-25T00:00:00.000Z', short: true, rate: 10, products: 500 };
    const file = writeResults([result(missed)], run, path.join(folder, 'results'));
    const written = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.rmSync(folder, { recursive: true });
    expect(written).toMatchObject({ ...run, results: [result(missed)] });
    expect(written.machine).toContain('cores');
  });
});

test('a counter that a worker does not report is an error, unless it has labels', async () => {
  const server = http.createServer(
    (_req, res) => void res.end('a_total 2\nb_total{tier="l1"} 3\nb_total{tier="l2"} 4\n'),
  );
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const counts = ['a_total', 'b_total', 'b_total{tier="l2"}', 'b_total{tier="l3"}'];
  expect(await Promise.all(counts.map((name) => counterOf([port, port], name)))).toEqual([4, 14, 8, 0]);
  await expect(counterOf([port], 'c_total')).rejects.toThrow('does not report its c_total');
  server.closeAllConnections();
  server.close();
});

test('R9 fails when Redis served no reads before the fault', async () => {
  let reads = 0;
  const rig = {
    ...rigOf(),
    scale: 0,
    workerPorts: [1],
    proxies: { redis: { accepted: 0, refuse() {}, heal() {} } },
    startLoad: async () => ({ stop: async () => ({ all: () => ({ asked: 1, ok: 1, wrongBodies: 0 }) }) }),
    counter: async (/** @type {string} */ name) => (name.includes('database') ? (reads += 1) : 0),
  };
  const missed = (await runs.R9(/** @type {any} */ (rig))).filter(({ pass }) => !pass).map(({ what }) => what);
  expect(missed).toContain('share of reads out of Redis before');
});

test('a read that waits until PostgreSQL returns misses the target, although it gets a 200', () => {
  const seen = { asked: 9, ok: 9, shed: 0, withoutRetryAfter: 0, wrongBodies: 0, shedMaxMs: 0 };
  const course = (/** @type {number} */ maxMs) =>
    /** @type {any} */ ({
      all: { ...seen, maxMs },
      hot: seen,
      observed: { lastErrorAfterMs: () => 0 },
    });
  const missed = (/** @type {number} */ maxMs) => refusedInOrder(course(maxMs)).filter(({ pass }) => !pass).length;
  expect([missed(9500), missed(900)]).toEqual([1, 0]);
});
