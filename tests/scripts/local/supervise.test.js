'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { supervise } = require('../../../scripts/local/supervise');
const { until } = require('../../helpers/app');

/** @typedef {import('../../../scripts/local/supervise').Server & { stop: jest.Mock }} Played */

/** @param {string} program @returns {Promise<Played>} it leads a process group, as each server does */
async function serve(program) {
  const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const exited = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  const stop = jest.fn(async () => {
    process.kill(Number(child.pid), 'SIGKILL');
    await exited;
  });
  return { pid: Number(child.pid), exited, stop };
}

/** @param {(() => Promise<Played>)[]} starts the last one is used repeatedly */
async function supervised(...starts) {
  /** @type {string[]} */
  const said = [];
  const start = () => (starts.length > 1 ? /** @type {() => Promise<Played>} */ (starts.shift()) : starts[0])();
  const { first, stop } = await supervise({ name: 'played', start, say: (line) => said.push(line) });
  return { first, stop, said };
}
const ending = () => serve('process.exitCode = 7');

test('restarts a server that ended, and stop stops the new one', async () => {
  const second = await serve('setInterval(() => {}, 1000)');
  const { first, stop, said } = await supervised(ending, async () => second);
  await until(() => said.includes('played runs again'));
  await stop();
  expect(said).toEqual(['played ended (7): starting it again', 'played runs again']);
  expect([first.stop, second.stop].map((each) => each.mock.calls.length)).toEqual([0, 1]);
});

test('stop before the restart sends no signal, since the pid may belong to another process', async () => {
  const { first, stop, said } = await supervised(ending, () => Promise.reject(new Error('no room\nat length')));
  await until(() => said.includes('played: no room; trying again'));
  await stop();
  expect(first.stop).not.toHaveBeenCalled();
});
