'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { readOrNothing } = require('../../scripts/lib/proc');
const { carriesMark, otherPids, waitUntil } = require('../../scripts/lib/process');
const { root } = require('../../scripts/lib/runtime');
const { freePort } = require('../helpers/servers');

const startTimeoutMs = 90_000;
const script = path.join(root, 'scripts/faults.js');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'interrupted of a folder '));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

test('a folder that npm run faults did not make is refused, for it would be deleted', () => {
  const mine = path.join(dir, 'mine');
  fs.mkdirSync(mine);
  fs.writeFileSync(path.join(mine, 'thesis.txt'), 'years of work');
  const { status, stderr } = spawnSync(process.execPath, [script, 'R1', '--state', mine], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('choose an empty one with --state DIR')]);
  expect(fs.readdirSync(mine)).toEqual(['thesis.txt']);
});

test('Ctrl-C in npm run faults leaves no server behind', async () => {
  const state = path.join(dir, 'state');
  const words = ['R1', '--short', '--products', '300', '--port', String(await freePort(10)), '--state', state];
  const child = spawn(process.execPath, [script, ...words], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const names = () =>
    otherPids()
      .filter((pid) => pid !== child.pid && carriesMark(pid, state))
      .map((pid) => readOrNothing(`/proc/${pid}/comm`).trim());
  try {
    const served = () => ['postgres', 'valkey-server', 'nginx'].every((name) => names().includes(name));
    expect(await waitUntil(served, startTimeoutMs)).toBe(true);
    // From the terminal and from npm.
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(names()).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);

test('Ctrl-C while npm run faults begins is its status, and not what fails of it', async () => {
  const state = path.join(dir, 'early');
  const words = ['R1', '--port', String(await freePort(10)), '--state', state];
  const child = spawn(process.execPath, [script, ...words], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const begun = () => otherPids().some((pid) => pid !== child.pid && carriesMark(pid, state));
  try {
    expect(await waitUntil(begun, startTimeoutMs)).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);
