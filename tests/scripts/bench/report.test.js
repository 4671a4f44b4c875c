'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { runParts } = require('../../lab/bench/parts');
const { exitStatus, partText, summaryText, withErrors } = require('../../lab/bench/report');
const { stopAll } = require('../../lab/bench/running');
const { startPinned } = require('../../lab/bench/own-servers');
const { freePort } = require('../../../scripts/local/ports');
const { isAlive } = require('../../../scripts/lib/proc');
const { waitUntil } = require('../../../scripts/lib/wait-until');

/** @typedef {import('../../lab/bench/report').Part} Part */

const part = {
  name: 'cold',
  stolenPercent: 12.34,
  rows: [
    { route: 'styles', what: 'one worker', rps: 19_066.4, p99Ms: 3.456, errors: 0 },
    { route: 'styles', what: 'pgbench', rps: 51_447, p99Ms: NaN, errors: 0 },
  ],
  targets: [
    { what: 'slow', atLeast: 2, is: 1.9 },
    { what: 'fine', route: 'list', atMost: 450, is: 450 },
    { what: 'unknown', atLeast: 2, is: NaN },
  ],
};

/** @param {(Part & { stolenPercent: number })[]} parts */
const runOf = (parts) => ({ machine: '', date: '', products: 1, rounds: 1, seconds: 1, parts });

test('a part shows verdicts, the figures of each server, and what the host took', () => {
  const text = partText(part).replaceAll(/ +/g, ' ');
  expect(text).toContain('| slow | ≥ 2 | 1.9 | missed |');
  expect(text).toContain('| list: fine | ≤ 450 | 450 | met |');
  expect(text).toContain('| unknown | ≥ 2 | | not measured |');
  expect(text).toContain('The host gave 12.3 % of the CPU time to others.');
  expect(text).toContain('| route | server | requests/s | p99 ms | errors |');
  expect(text).toContain('| styles | one worker | 19,066 | 3.46 | 0 |');
  expect(text).toContain('| styles | pgbench | 51,447 | | 0 |');
});

test('a run ends with the targets that are not met, each with its figure, if it has one', () => {
  expect(summaryText(runOf([part])).split('\n')).toEqual([
    '1 of 3 targets met',
    'missed: cold: slow: 1.9, target ≥ 2',
    'not measured: cold: unknown',
  ]);
});

test('the exit status tells missed targets from those that were not measured', () => {
  const [slow, fine, unknown] = part.targets;
  const statusOf = (/** @type {import('../../lab/bench/report').Target[][]} */ ...all) =>
    exitStatus(runOf(all.map((targets) => ({ ...part, targets }))));
  const statuses = [
    statusOf([fine]),
    statusOf([fine, slow]),
    statusOf([slow, unknown]),
    statusOf([fine], []),
    statusOf(),
  ];
  expect(statuses).toEqual([0, 1, 2, 2, 2]);
});

test.each([
  [0, [0, 0]],
  [NaN, [0, NaN]],
  [3, [3, NaN]],
])('%d errors are the target of a part whose rows count %j', (is, counts) => {
  const rows = counts.map((errors) => ({ route: 'list', what: 'a', errors }));
  const [ofRows, ofServers] = withErrors({ name: 'hot', rows, targets: [] }, ['ended']).targets;
  expect([ofRows.is, ofServers.is]).toEqual([is, 1]);
  expect(withErrors({ name: 'load', rows: [], targets: [] }, []).targets).toHaveLength(1);
});

describe('parts', () => {
  /** A server that answers, and writes a line when it ends by itself. */
  const program = `process.on('SIGUSR2', () => { console.error('out of luck'); process.exit(3); });
  require('node:http').createServer((_, response) => response.end('{}')).listen(Number(process.argv[1]), '127.0.0.1');`;
  /** @type {string} */
  let dir;
  /** @type {jest.SpyInstance} */
  let said;
  beforeEach(() => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-parts-'));
    said = jest.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(async () => {
    await stopAll();
    said.mockRestore();
    fs.rmSync(dir, { recursive: true });
  });

  async function startServer() {
    const port = await freePort();
    const log = path.join(dir, 'server.log');
    return startPinned([process.execPath, '--eval', program, String(port)], { port, log, cpu: '0,1' });
  }
  const fine = async () => ({ name: 'fine', rows: [{ route: 'r', what: 'w', rps: 10, errors: 0 }], targets: [] });

  /** @param {Record<string, () => Promise<Part>>} parts @returns {Promise<{ status: number, parts: Part[], text: string }>} */
  async function runAll(parts) {
    const folder = path.join(dir, 'results');
    const options = { products: 1_000_011, rounds: 1, seconds: 1, say: () => {}, folder };
    const status = await runParts(parts, Object.keys(parts), options);
    const [json, text] = fs
      .readdirSync(folder)
      .sort()
      .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
    return { status, ...JSON.parse(json), text };
  }

  test('are in two files, for programs and for people', async () => {
    const { status, parts, text } = await runAll({ fine, other: fine });
    expect([status, parts.length, parts[0].rows[0].rps]).toEqual([0, 2, 10]);
    expect(text).toMatch(/; 1,000,011 products; 1 rounds of 1 s\n/);
    expect(text.match(/^## .*/gm)).toEqual(['## fine', '## fine']);
  });

  test('fail by a server that ends by itself, with how it ended and the end of its log', async () => {
    const part = async () => {
      const { pid } = await startServer();
      process.kill(pid, 'SIGUSR2');
      expect(await waitUntil(() => !isAlive(pid), 10_000)).toBe(true);
      return fine();
    };
    const { status, parts, text } = await runAll({ part, fine });
    expect(status).toBe(1);
    const ended = parts.map(({ targets }) => targets.find(({ what }) => what === 'servers that ended by themselves'));
    expect(ended).toMatchObject([{ is: 1 }, { is: 0 }]);
    expect(parts[0].failures).toEqual([
      expect.stringMatching(/^node \(process \d+\) ended: exit status 3\. .*\nout of luck$/s),
    ]);
    expect(text).toContain('out of luck');
  });

  test('do not fail by a server that they stop', async () => {
    const part = async () => {
      await (await startServer()).stop();
      return fine();
    };
    const { status, parts } = await runAll({ part });
    expect([status, parts[0].failures]).toEqual([0, []]);
  });

  test('that fail do not keep the others from running', async () => {
    const part = async () => {
      throw new Error('no such thing');
    };
    const { status, parts, text } = await runAll({ part, fine });
    expect([status, parts.map(({ rows }) => rows.length)]).toEqual([2, [0, 1]]);
    expect(text).toContain('**Failed**: no such thing');
    expect(said).toHaveBeenCalledWith('failed parts: part');
  });
});
