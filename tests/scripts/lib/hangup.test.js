'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { isAlive } = require('../../../scripts/lib/proc');
const { python, root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { shellLine } = require('../../../scripts/lib/words');
const { useFolder } = require('../../helpers/folder');

const { at, write } = useFolder('hangup');

/** A command that writes files when it runs and when it ends, because its terminal will be closed. */
const command = `const { exitWith, untilSignal } = require(${JSON.stringify(path.join(root, 'scripts/lib/command-line.js'))});
const leave = (sign) => require('node:fs').writeFileSync(__dirname + '/' + sign, String(process.pid));
const alive = setInterval(() => {}, 1000);
process.on('SIGUSR2', () => leave('here'));
exitWith(new Promise((resolve) => untilSignal().addEventListener('abort', () => {
  leave('ending');
  process.stdout.write('stopping');
  process.stderr.write('stopping');
  clearInterval(alive);
  setTimeout(() => resolve(leave('ended')), 50);
})));
leave('running'); // last: its reader sends signals at once`;
/** Runs a command in a terminal, and closes the terminal when standard input ends. */
const terminal = `import os, pty, sys
pid, master = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
sys.stdin.read()
os.close(master)`;

const has = (/** @type {string} */ sign) => fs.existsSync(at(sign)) && fs.readFileSync(at(sign), 'utf8') !== '';
const becomes = (/** @type {() => boolean} */ condition) => waitUntil(condition, 10_000);

/**
 * Starts the command in a terminal, which is closed once it runs.
 * @param {(words: string) => string} line of a shell @returns {Promise<number>} the pid of the command
 */
async function inTerminal(line) {
  const shell = line(shellLine([process.execPath, write('command.js', command)]));
  const child = spawn(python, ['-c', terminal, 'sh', '-c', shell], { cwd: at(), stdio: ['pipe', 'ignore', 'inherit'] });
  expect(await becomes(() => has('running'))).toBe(true);
  child.stdin.end();
  await once(child, 'exit');
  return Number(fs.readFileSync(at('running'), 'utf8'));
}

test('a command ends in order when its terminal closes, although it can print nothing', async () => {
  const pid = await inTerminal((words) => `${words}; true`);
  expect([await becomes(() => !isAlive(pid)), has('ended')]).toEqual([true, true]);
});

test.each([
  ['nohup', (/** @type {string} */ words) => `nohup ${words} & wait`],
  ['a nohup of the script around it', (/** @type {string} */ words) => `nohup sh -c "${words}; true" & wait`],
  ['a session of its own', (/** @type {string} */ words) => `setsid ${words} & wait`],
])('under %s a command outlives its terminal, and SIGTERM ends it', async (name, line) => {
  const pid = await inTerminal(line);
  if (!name.includes('session')) process.kill(pid, 'SIGHUP'); // as a shell also sends it to its jobs
  process.kill(pid, 'SIGUSR2');
  expect([await becomes(() => has('here')), has('ending')]).toEqual([true, false]);
  process.kill(pid, 'SIGTERM');
  expect([await becomes(() => !isAlive(pid)), has('ended')]).toEqual([true, true]);
});
