'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { endingSignals } = require('../lib/hangup');
const { root } = require('../lib/runtime');

/** @typedef {(line: string) => void} Say */

/** After so long without output, and again after each such time, the person reads what the start waits for. */
const silenceMs = 15_000;

/** @param {string} output */
const lastLine = (output) => output.trimEnd().split('\n').at(-1)?.slice(0, 160);

/** A signal came while something was being installed; nothing of it runs any more. */
class Interrupted extends Error {}

/**
 * Runs pip, venv or npm to its end, in a group of its own: a signal that ends us ends all of it first, or it would go on
 * beside the next installation, in the same folder.
 * @param {string[]} command
 * @param {{ env: NodeJS.ProcessEnv, say: Say, name: string, everyMs?: number }} options `name`: for a person, with the host that it asks
 * @returns {Promise<{ ok: boolean, output: string }>}
 * @throws {Interrupted}
 */
async function runInstaller([program, ...words], { env, say, name, everyMs = silenceMs }) {
  let interrupted = false;
  let pid = 0;
  const stop = () => {
    if (pid > 0 && !interrupted) process.kill(-pid, 'SIGKILL'); // what is half installed has no stamp, and is made anew
    interrupted = true;
  };
  for (const name of endingSignals) process.on(name, stop); // before it runs: else a signal soon after would end us alone
  const child = spawn(program, words, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  pid = child.pid ?? 0;
  let output = '';
  let silentSince = performance.now();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => ([output, silentSince] = [output + text, performance.now()]));
  const reminder = setInterval(() => {
    const silentMs = performance.now() - silentSince;
    if (silentMs < everyMs) return;
    say(`${name}: no output for ${Math.round(silentMs / 1000)} s; last: ${lastLine(output) || 'nothing yet'}`);
  }, everyMs);
  try {
    const [status] = await once(child, 'close');
    if (interrupted) throw new Interrupted('stopped while installing; the next start goes on');
    return { ok: status === 0, output: output.trim() };
  } finally {
    clearInterval(reminder);
    // npm and the terminal both pass Ctrl-C on: the second one would end us before we have said so.
    if (!interrupted) for (const name of endingSignals) process.off(name, stop);
  }
}

module.exports = { Interrupted, runInstaller };
