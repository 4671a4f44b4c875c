'use strict';
const { spawnSync } = require('node:child_process');
const { signalRunning } = require('../../../scripts/lib/process');
const { runOrThrow } = require('../../../scripts/lib/run');

test('a failed tool is reported with its status and its output', async () => {
  const tool = (/** @type {string} */ script) => [process.execPath, '-e', script];
  const failing = tool('console.log(process.env.WHY); process.exitCode = 3');
  await expect(runOrThrow(failing, { WHY: 'no such file' })).rejects.toThrow(/ended with status 3:\nno such file\n$/);
  expect(await runOrThrow(tool('console.log(1)'))).toBe('1\n');
});

test('a signal to a server that has ended names it', () => {
  const { pid } = spawnSync('true');
  expect(() => signalRunning('Valkey', pid, 'SIGKILL')).toThrow(`Valkey (process ${pid}) has ended before SIGKILL`);
});
