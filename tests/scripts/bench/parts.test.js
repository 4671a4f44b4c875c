'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { interleave } = require('../../lab/bench/measure');
const { runParts } = require('../../lab/bench/parts');
const { startPinned } = require('../../lab/bench/pinned');
const { stopAll } = require('../../lab/bench/running');
const { killDuring } = require('../../lab/bench/write-rates');
const { freePort } = require('../../../scripts/local/ports');
const { isAlive } = require('../../../scripts/lib/proc');
const { waitUntil } = require('../../../scripts/lib/wait-until');

/** A server that answers, and writes a line when it ends by itself. */
const program = `process.on('SIGUSR2', () => { console.error('out of luck'); process.exit(3); });
require('node:http').createServer((_, response) => response.end('{}')).listen(Number(process.argv[1]), '127.0.0.1');`;

/** @typedef {import('../../lab/bench/targets').Part} Part */
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

/** Ends a server from outside, as the kernel or its own fault does. @param {{ pid: number }} server @param {NodeJS.Signals} signal */
async function end({ pid }, signal) {
  process.kill(pid, signal);
  expect(await waitUntil(() => !isAlive(pid), 10_000)).toBe(true);
}

const run = { rps: 10, p99Ms: 1, errors: 0 };
const fine = async () => ({ name: 'fine', rows: [{ route: 'r', what: 'w', ...run }], targets: [] });

/** @param {Record<string, () => Promise<Part>>} parts */
async function runAll(parts) {
  const options = { products: 1, rounds: 1, seconds: 1, say: () => {}, folder: path.join(dir, 'results') };
  const status = await runParts(parts, Object.keys(parts), options);
  return { status, ...read() };
}

/** What is in the results. @returns {{ parts: Part[], text: string }} */
function read() {
  const folder = path.join(dir, 'results');
  const [json, text] = fs
    .readdirSync(folder)
    .sort()
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  return { ...JSON.parse(json), text };
}

test('a server that ends during a part is an error of it, with how it ended and the end of its log', async () => {
  const part = async () => {
    await end(await startServer(), 'SIGUSR2');
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

test('a server that a part stops or kills is none', async () => {
  const part = async () => {
    const [stopped, killed] = [await startServer(), await startServer()];
    await Promise.all([stopped.stop(), killed.kill()]);
    return fine();
  };
  const { status, parts } = await runAll({ part });
  expect([status, parts[0].failures]).toEqual([0, []]);
});

test('a part that would kill a server that is gone names it, keeps its rows, and the other parts go on', async () => {
  const part = async () => {
    const server = await startServer();
    await interleave({ 'a rate': async () => run }, 2, () => {});
    await end(server, 'SIGKILL');
    const write = () => ({ method: 'POST', path: '/', body: '{}', count: 1 });
    await killDuring({ ...server, key: '' }, /** @type {any} */ ({ many: write }), 0.2);
    return fine();
  };
  const { status, parts, text } = await runAll({ part, fine });
  expect(status).toBe(2);
  expect(parts.map(({ rows }) => rows.map(({ what }) => what))).toEqual([
    ['a rate, round 1', 'a rate, round 2'],
    ['w'],
  ]);
  expect(parts[0].failures?.[0]).toMatch(/^cannot kill node \(process \d+\) ended: SIGKILL\./);
  expect(text).toContain('**Failed**: cannot kill node');
  expect(said).toHaveBeenCalledWith('failed parts: part');
});

test('the results have each row as soon as it is measured', async () => {
  /** @type {Part[][]} */
  const seen = [];
  const look = async () => (seen.length > 0 ? read().parts : []);
  const part = async () => {
    seen.push([]);
    await interleave(
      { 'a rate': async () => (seen.push(fs.existsSync(path.join(dir, 'results')) ? await look() : []), run) },
      2,
      () => {},
    );
    return fine();
  };
  await runAll({ part });
  expect(seen.at(-1)).toMatchObject([{ name: 'part', rows: [{ what: 'a rate, round 1', rps: 10 }] }]);
});
