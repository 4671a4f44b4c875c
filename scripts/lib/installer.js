'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { text } = require('node:stream/consumers');
const { environment } = require('./environment');
const { endingSignals } = require('./hangup');
const { root } = require('./runtime');

/** A signal came while something was being installed; nothing of it runs any more. */
class Interrupted extends Error {}

/**
 * Runs pip, venv or npm to its end, in a group of its own: a signal that ends us ends all of it first, or it would go on
 * beside the next installation, in the same folder.
 * @param {string} program @param {string[]} words
 * @returns {Promise<{ ok: boolean, output: string }>}
 * @throws {Interrupted}
 */
async function runInstaller(program, words, env = environment('installer')) {
  const child = spawn(program, words, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let interrupted = false;
  const stop = () => {
    if (child.pid && !interrupted) process.kill(-child.pid, 'SIGKILL'); // what is half installed has no stamp, and is made anew
    interrupted = true;
  };
  for (const name of endingSignals) process.on(name, stop);
  try {
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const [status] = await once(child, 'close');
    if (interrupted) throw new Interrupted('stopped while installing; the next start goes on');
    return { ok: status === 0, output: (await output).join('').trim() };
  } finally {
    // npm and the terminal both pass Ctrl-C on: the second one would end us before we have said so.
    if (!interrupted) for (const name of endingSignals) process.off(name, stop);
  }
}

module.exports = { Interrupted, runInstaller };
