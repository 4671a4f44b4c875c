'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { stateVariable, stopProcesses } = require('../../scripts/local/leftovers');
const { unless } = require('../helpers/skip');
const { freePorts, pidOf, runStart, startStack } = require('../helpers/stack');
const { callerOf } = require('../helpers/writer');

/* A rolling update of containers starts another on the same folder, which sees neither our processes nor our sockets. */

const hidden = 'unshare --pid --fork --kill-child --mount-proc --ipc';
const cannot = spawnSync('sh', ['-c', `${hidden} --net true`]).status !== 0;
const { test: withNamespaces } = unless(cannot && 'needs root that may make namespaces');

/** @type {(() => unknown)[]} */
const cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}, 60_000);

/** @param {string} state @param {string} [more] namespaces */
const startHidden = (state, more = '') =>
  startStack({ state, shell: `exec ${hidden} ${more} "$@"` }).then((stack) => {
    cleanups.push(() => stack.stop('SIGKILL'));
    return stack;
  });

async function startFirst() {
  const stack = await startStack();
  cleanups.push(() => stack.stop());
  return stack;
}

/** @param {string} state @param {string} words of unshare */
async function refusal(state, words) {
  const ports = Object.entries(await freePorts()).flatMap(([name, port]) => [`--${name}`, String(port)]);
  const { ended, output } = runStart(['--state', state, ...ports], {}, undefined, `exec ${words} "$@"`);
  return { status: await ended, said: output() };
}

/** @param {import('../helpers/stack').Stack} stack */
function writerOf({ state, ports }) {
  const words = ['scripts/key.js', 'create', 'ledger', '--scopes', 'content', '--state', state];
  const key = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' }).stdout.trim();
  return callerOf(`http://127.0.0.1:${ports['write-port']}`, key);
}

withNamespaces(
  'a start in another namespace is refused, and what the first acknowledged stays',
  async () => {
    const first = await startFirst();
    const call = writerOf(first);
    for (let id = 1; id <= 5; id += 1)
      expect((await call('PATCH', `/products/${id}`, { slogan: 'kept' })).status).toBe(200);
    const pidFile = path.join(first.state, 'pgdata/postmaster.pid');
    const postmaster = fs.readFileSync(pidFile, 'utf8');
    for (const more of ['', '--net', '--uts'])
      expect(await refusal(first.state, `${hidden} ${more}`)).toEqual({
        status: 2,
        said: expect.stringContaining(`${first.state} is in use by another start`),
      });
    // This one sees all processes, but no socket: it must not take them for leftovers.
    const { status, said } = await refusal(first.state, 'unshare --net');
    expect([status, said]).toEqual([2, expect.stringContaining(`kill ${first.up.child.pid}`)]);
    expect(fs.readFileSync(pidFile, 'utf8')).toBe(postmaster);
    for (let id = 1; id <= 5; id += 1) expect((await call('GET', `/products/${id}`)).body.slogan).toBe('kept');
    expect(first.up.output()).not.toContain('starting it again');
  },
  180_000,
);

withNamespaces(
  'servers of a killed start keep a start in another namespace out, until they have ended',
  async () => {
    const first = await startFirst();
    first.up.child.kill('SIGKILL');
    await first.up.ended;
    const postgres = pidOf(first.state, 'postgres');
    const { status, said } = await refusal(first.state, hidden);
    expect([status, said]).toEqual([2, expect.stringContaining('is in use by the servers of a start in another')]);
    expect(pidOf(first.state, 'postgres')).toBe(postgres);
    expect(await stopProcesses(stateVariable, first.state)).toBeGreaterThan(0);
    const second = await startHidden(first.state);
    expect((await fetch(`${second.url}/products/1`)).status).toBe(200);
  },
  180_000,
);

withNamespaces(
  'a start by another name of the folder ends the servers that a killed one left',
  async () => {
    const first = await startFirst();
    first.up.child.kill('SIGKILL');
    await first.up.ended;
    const link = `${first.state}-link`;
    fs.symlinkSync(first.state, link);
    const again = await startStack({ state: link });
    cleanups.push(() => again.stop());
    expect(again.up.output()).toMatch(/an earlier start left \d+ processes running/);
  },
  180_000,
);
