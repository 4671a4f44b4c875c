'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { otherPids, readOrNothing } = require('../../scripts/lib/proc');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { carriesMark } = require('../helpers/stack');
const { linkProgram, writeStub } = require('../helpers/stub');

const startTimeoutMs = 90_000;
const script = path.join(root, 'tests/lab/faults.js');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'interrupted of a folder '));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** For a command whose folders are in the clone. @param {string} name @param {string[]} parts @returns {string} */
function clone(name, parts) {
  for (const part of ['scripts', 'nginx', 'server', ...parts])
    fs.cpSync(path.join(root, part), path.join(dir, name, part), { recursive: true });
  return path.join(dir, name);
}

/** @param {import('node:child_process').ChildProcess} child @param {string} mark @returns {string[]} names of the processes that it left */
const leftBy = (child, mark) =>
  otherPids()
    .filter((pid) => pid !== child.pid && carriesMark(pid, mark))
    .map((pid) => readOrNothing(`/proc/${pid}/comm`).trim());

/** Interrupts it as both terminal and npm do. @param {import('node:child_process').ChildProcess} child @returns {Promise<any[]>} its end */
function interrupt(child) {
  const ended = once(child, 'close');
  child.kill('SIGINT');
  child.kill('SIGINT');
  return ended;
}

test('Ctrl-C in npm run faults leaves no server behind', async () => {
  const own = path.join(dir, 'a'); // short, or Valkey's socket and title would be elsewhere
  fs.mkdirSync(own);
  const child = spawn(process.execPath, [script, 'R2', '--short', '--products', '300'], {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: own },
  });
  const names = () => leftBy(child, own);
  try {
    const served = () => ['postgres', 'valkey-server', 'nginx'].every((name) => names().includes(name));
    expect(await waitUntil(served, startTimeoutMs)).toBe(true);
    expect(await interrupt(child)).toEqual([130, null]);
    expect(names()).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);

test('Ctrl-C while npm run faults starts sets its exit status, whatever fails because of it', async () => {
  const own = path.join(dir, 'b');
  fs.mkdirSync(own);
  const child = spawn(process.execPath, [script, 'R2'], { stdio: 'ignore', env: { ...process.env, TMPDIR: own } });
  const ended = once(child, 'exit');
  const begun = () => leftBy(child, own).length > 0;
  try {
    expect(await waitUntil(begun, startTimeoutMs)).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);

test('Ctrl-C during a measurement of npm run bench leaves no server behind', async () => {
  const own = clone('bench', ['etl', 'db', 'tests/lab', 'ecosystem.config.js', 'package.json']);
  for (const part of ['.runtime', 'node_modules']) fs.symlinkSync(path.join(root, part), path.join(own, part));
  const bin = path.join(own, 'bin');
  fs.mkdirSync(bin);
  writeStub(bin, 'wrk', 'exec /bin/sleep 1000');
  const child = spawn(process.execPath, [path.join(own, 'tests/lab/bench.js'), 'cold', '--products', '300'], {
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  try {
    expect(await waitUntil(() => said.includes('first pages, round 1'), startTimeoutMs)).toBe(true);
    child.kill('SIGINT');
    expect(await waitUntil(() => said.endsWith('stopping what runs\n'), startTimeoutMs)).toBe(true);
    expect(await interrupt(child)).toEqual([130, null]);
    expect(leftBy(child, path.join(own, '.state-bench'))).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);

test('Ctrl-C while Go builds k6 ends the build at once, and leaves no process and no partial k6', async () => {
  const own = clone('k6', []);
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(own, 'node_modules'));
  const bin = path.join(own, 'bin');
  fs.mkdirSync(bin);
  linkProgram(bin, 'flock');
  writeStub(bin, 'go', '[ "$1" = version ] || { echo half > "$GOBIN/k6"; /bin/sleep 1000 & wait; }');
  const words = [path.join(own, 'scripts/k6.js'), 'smoke', '--url', 'http://127.0.0.1:9'];
  const child = spawn(process.execPath, words, { env: { PATH: bin }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  try {
    expect(await waitUntil(() => leftBy(child, bin).includes('sleep'), startTimeoutMs)).toBe(true);
    expect([await interrupt(child), said]).toEqual([[2, null], expect.stringMatching(/^interrupted while Go built/m)]);
    expect(leftBy(child, bin)).toEqual([]);
    expect(fs.readdirSync(path.join(own, '.runtime/k6'))).toEqual(['install.lock']);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);
