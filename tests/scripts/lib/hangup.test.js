'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { isAlive } = require('../../../scripts/lib/proc');
const { python, root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { shellLine } = require('../../../scripts/lib/words');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hangup-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** A command that writes to files when it runs and what ended it, because its terminal will be closed. */
const command = path.join(dir, 'command.js');
fs.writeFileSync(
  command,
  `const { exitWith, untilSignal } = require(${JSON.stringify(path.join(root, 'scripts/lib/command-line.js'))});
   const fs = require('node:fs');
   const alive = setInterval(() => {}, 1000);
   process.on('SIGUSR2', () => fs.writeFileSync(process.argv[2] + '.here', ''));
   exitWith(new Promise((resolve) => untilSignal().addEventListener('abort', () => {
     fs.writeFileSync(process.argv[2] + '.ending', '');
     process.stdout.write('stopping');
     process.stderr.write('stopping');
     clearInterval(alive);
     setTimeout(() => resolve(fs.writeFileSync(process.argv[2] + '.ended', 'in order')), 50);
   })));
   fs.writeFileSync(process.argv[2], String(process.pid)); // last: its reader sends signals at once`,
);
/** Runs a command in a terminal, and closes the terminal when standard input ends. */
const terminal = `import os, pty, sys
pid, master = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
sys.stdin.read()
os.close(master)`;

/**
 * Starts a shell line in a terminal, which is closed once the command runs.
 * @param {string} name @param {(words: string) => string} line
 * @returns {Promise<{ pid: number, has: (sign: string) => boolean }>} of the command, and whether it left a sign
 */
async function inTerminal(name, line) {
  const file = path.join(dir, name);
  const shell = line(shellLine([process.execPath, command, file]));
  const child = spawn(python, ['-c', terminal, 'sh', '-c', shell], { cwd: dir, stdio: ['pipe', 'ignore', 'inherit'] });
  const runs = () => fs.existsSync(file) && fs.readFileSync(file, 'utf8') !== '';
  expect(await waitUntil(runs, 10_000)).toBe(true);
  child.stdin.end();
  await once(child, 'exit');
  return { pid: Number(fs.readFileSync(file, 'utf8')), has: (sign) => fs.existsSync(`${file}.${sign}`) };
}

/** @param {number} pid */
const isGone = (pid) => waitUntil(() => !isAlive(pid), 10_000);

test('a command ends in order when its terminal closes, although it can print nothing', async () => {
  const { pid, has } = await inTerminal('plain', (words) => `${words}; true`);
  expect([await isGone(pid), has('ended')]).toEqual([true, true]);
});

test.each([
  ['nohup', (/** @type {string} */ words) => `nohup ${words} & wait`],
  ['a nohup of the script around it', (/** @type {string} */ words) => `nohup sh -c "${words}; true" & wait`],
  ['a session of its own', (/** @type {string} */ words) => `setsid ${words} & wait`],
])('under %s a command outlives its terminal, and SIGTERM ends it', async (name, line) => {
  const { pid, has } = await inTerminal(name.replaceAll(' ', '-'), line);
  if (!name.includes('session')) process.kill(pid, 'SIGHUP'); // as a shell also sends it to its jobs
  process.kill(pid, 'SIGUSR2');
  expect([await waitUntil(() => has('here'), 10_000), has('ending')]).toEqual([true, false]);
  process.kill(pid, 'SIGTERM');
  expect([await isGone(pid), has('ended')]).toEqual([true, true]);
});
