'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { stopStartedWith } = require('../../../scripts/local/leftovers');
const { lockFile } = require('../../../scripts/lib/lock');
const { startPostgres } = require('../../../scripts/local/postgres');
const { isAlive } = require('../../../scripts/lib/proc');
const { lockState, openState } = require('../../../scripts/local/state');
const { startValkey } = require('../../../scripts/local/valkey');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'leftovers-é-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** @param {NodeJS.ProcessEnv} env @param {string[]} [words] */
async function bystander(env, words = []) {
  const child = spawn('sleep', ['600', ...words], { env: { ...process.env, ...env }, detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  return { pid: Number(child.pid), ended: once(child, 'exit') };
}

test('stops processes that were started with the variable, and no others', async () => {
  const [ours, theirs, visitor] = await Promise.all([
    bystander({ TEST_PLACE: dir }),
    bystander({ TEST_PLACE: `${dir}-2` }),
    bystander({ PWD: `${dir}/logs` }),
  ]);
  expect(await stopStartedWith('TEST_PLACE', dir)).toBe(1);
  await ours.ended;
  expect([theirs.pid, visitor.pid].map(isAlive)).toEqual([true, true]);
  for (const { pid } of [theirs, visitor]) process.kill(pid, 'SIGKILL');
});

test('also stops a Valkey whose folder is too deep for its socket', async () => {
  const { exited } = await startValkey({ dir: path.join(dir, 'deep'.repeat(20), '1000') });
  expect(await stopStartedWith('TEST_PLACE', path.join(dir, 'deep'.repeat(20)))).toBe(1);
  await exited;
});

test('systemd-tmpfiles leaves alone the sockets of a state folder with a long name', async () => {
  const state = openState(path.join(dir, 'long'.repeat(25)));
  expect(state.run.startsWith(state.dir)).toBe(false);
  await lockState(state);
  expect(lockFile(state.run, 'r')).toBeNull(); // "Age" of tmpfiles.d(5): what is locked is skipped
  fs.rmSync(state.run, { recursive: true });
});

describe('PostgreSQL of a state folder', () => {
  const state = path.join(dir, 'state');
  const pidFile = path.join(state, 'pgdata/postmaster.pid');

  test('starts when another process has the pid that was left by a power cut', async () => {
    const first = await startPostgres({ dir: state });
    const lines = fs.readFileSync(pidFile, 'utf8').split('\n');
    await first.stop();
    const other = await bystander({});
    fs.writeFileSync(pidFile, [other.pid, ...lines.slice(1)].join('\n'));
    const second = await startPostgres({ dir: state });
    await second.stop();
    process.kill(other.pid, 'SIGKILL');
  }, 60_000);

  test('is stopped by a signal to its first process, even while a just forked one has its title', async () => {
    const program = path.join(dir, 'postgres');
    fs.symlinkSync('/bin/bash', program);
    const ofTwo = `( read -r ) <&0 & trap 'kill -9 $!; wait; exit' INT; echo forked; wait; : ${state}/pgdata`;
    const first = spawn(program, ['-c', ofTwo], { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(first.stdout, 'data');
    expect(await stopStartedWith('TEST_PLACE', state)).toBe(1);
  });

  test('is stopped by a signal to its first process, and until then not started on the same data', async () => {
    const first = await startPostgres({ dir: state });
    await expect(startPostgres({ dir: state })).rejects.toThrow(`is in use by running servers (pid ${first.pid}`);
    expect(await stopStartedWith('TEST_PLACE', state)).toBe(1);
    await first.exited;
  }, 60_000);
});
