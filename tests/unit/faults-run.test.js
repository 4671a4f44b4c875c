'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { counterOf } = require('../../scripts/faults/worker-probe');
const { exactly, holds, notMeasured } = require('../../scripts/faults/checks');
const { writeReport } = require('../../scripts/faults/report');
const { redisFaults } = require('../../scripts/faults/families/redis');
const { exitStatus, runFault } = require('../../scripts/faults/run');
const { refusedInOrder } = require('../../scripts/faults/scenario');

const proxies = { postgres: { heal() {} }, redis: { heal() {} } };
/** @param {Partial<import('../../scripts/faults/rig').Rig>} [rest] */
const rigOf = (rest) => /** @type {any} */ ({ proxies, ready: async () => {}, ...rest });
/** @param {import('../../scripts/faults/run').Fault['run']} run */
const fault = (run) => ({ id: 'X1', title: 'A fault', done: 'nothing', run });
const fine = async () => [holds('fine', true)];

describe('a fault', () => {
  test('from which the chain does not come back fails, and keeps what was measured', async () => {
    const ready = () => Promise.reject(new Error('the workers are not ready'));
    const { checks } = await runFault(rigOf({ ready }), fault(fine));
    expect(checks.map(({ pass, measured }) => [pass, measured])).toEqual([
      [true, 'yes'],
      [false, 'the workers are not ready'],
    ]);
  });

  test('that breaks off says so in one cell of the table', async () => {
    const { checks } = await runFault(
      rigOf(),
      fault(() => Promise.reject(new Error('a | b\nand more'))),
    );
    expect(checks).toMatchObject([{ pass: false, measured: 'a \\| b' }]);
  });
});

test('the status tells a miss, and else what could not be made or measured', () => {
  const result = (/** @type {import('../../scripts/faults/checks').Check[]} */ ...checks) => ({
    ...{ id: 'X1', title: 'A fault', done: 'nothing', checks, seconds: 1 },
  });
  const [met, missed, unmeasured] = [
    exactly('errors', 0),
    exactly('errors', 7),
    notMeasured('another', '0', 'no index'),
  ];
  const skipped = { ...result(), skipped: 'needs root' };
  expect(exitStatus([result(met)])).toBe(0);
  expect(exitStatus([result(met, unmeasured)])).toBe(2);
  expect(exitStatus([result(met), skipped])).toBe(2);
  expect(exitStatus([result(met, missed), result(unmeasured), skipped])).toBe(1);
});

describe('the report', () => {
  /** @param {import('../../scripts/faults/checks').Check[]} checks @returns {string} the row's head */
  function headOf(checks) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-report-'));
    const result = { id: 'X1', title: 'A fault', done: 'nothing', checks, seconds: 1 };
    const run = { date: new Date(0), short: false, rate: '10', products: '500', folder };
    const text = writeReport([result], run);
    fs.rmSync(folder, { recursive: true });
    return text.split('\n').find((line) => line.includes('**X1**')) ?? '';
  }
  const unmeasured = notMeasured('another', '0', 'no index');

  test('calls a miss a miss, whatever else could not be measured', () => {
    expect(headOf([exactly('errors', 7), unmeasured])).toMatch(/\*\*FAIL\*\* \|$/);
    expect(headOf([exactly('errors', 0), unmeasured])).toMatch(/\*\*not measured\*\* \|$/);
    expect(headOf([exactly('errors', 0)])).toMatch(/\*\*pass\*\* \|$/);
  });

  test('keeps the figures of a fault that cannot be made here', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-report-'));
    const fault = (/** @type {string} */ id) => ({ id, title: id, done: 'nothing', seconds: 1 });
    const run = { date: new Date(0), short: false, rate: '10', products: '500', folder };
    writeReport([{ ...fault('X1'), checks: [exactly('errors', 0)] }], run);
    const told = writeReport(
      ['X1', 'X2'].map((id) => ({ ...fault(id), checks: [], skipped: 'no root' })),
      { ...run, date: new Date() },
    );
    const kept = fs.readFileSync(path.join(folder, 'faults.md'), 'utf8');
    fs.rmSync(folder, { recursive: true });
    expect(told.match(/not made: no root/g)).toHaveLength(2);
    expect(kept).toMatch(/\*\*X1\*\*.*1970-01-01.*\*\*pass\*\*/);
    expect(kept).toMatch(/\*\*X2\*\*.*not made: no root/);
  });

  test('says at which rate and with how many products', () => {
    expect(headOf([])).toContain('10/s, 500 products');
  });
});

test('a counter that a worker does not tell is no 0, unless it has labels', async () => {
  const server = http.createServer(
    (_req, res) => void res.end('a_total 2\nb_total{tier="l1"} 3\nb_total{tier="l2"} 4\n'),
  );
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const counts = ['a_total', 'b_total', 'b_total{tier="l2"}', 'b_total{tier="l3"}'];
  expect(await Promise.all(counts.map((name) => counterOf([port, port], name)))).toEqual([4, 14, 8, 0]);
  await expect(counterOf([port], 'c_total')).rejects.toThrow('does not tell its c_total');
  server.closeAllConnections();
  server.close();
});

test('Redis back: no share of the reads is nine tenths of none', async () => {
  const [returning] = redisFaults.filter(({ id }) => id === 'R9');
  let reads = 0;
  const rig = {
    ...rigOf(),
    scale: 0,
    workerPorts: [1],
    proxies: { redis: { accepted: 0, refuse() {}, heal() {} } },
    startLoad: async () => ({ stop: async () => ({ all: () => ({ asked: 1, ok: 1, wrongBodies: 0 }) }) }),
    counter: async (/** @type {string} */ name) => (name.includes('database') ? (reads += 1) : 0),
  };
  const missed = (await returning.run(rig)).filter(({ pass }) => !pass).map(({ what }) => what);
  expect(missed).toContain('share of reads out of Redis before');
});

test('PostgreSQL away: a read that waits for its return is no answer in order, though it is a 200', () => {
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
