'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { once } = require('node:events');
const path = require('node:path');
const { environment } = require('./environment');
const { isAlive } = require('./proc');
const { waitUntil } = require('./wait-until');

/** @param {number} pid negative for a process group @param {NodeJS.Signals} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** @param {string} name of a server that must run @param {number} pid @param {NodeJS.Signals} signal @throws {Error} naming it when it has ended */
function signalRunning(name, pid, signal) {
  if (!isAlive(pid)) throw new Error(`${name} (process ${pid}) has ended before ${signal}: see its log`);
  send(pid, signal);
}

/**
 * @param {number} pid @param {NodeJS.Signals} signal the polite one @param {number} graceMs after it the process is killed
 * @param {{ group?: boolean }} [options] `group`: with everything that it started
 */
async function stopPid(pid, signal, graceMs, { group = false } = {}) {
  const target = group ? -pid : pid;
  send(target, signal);
  if (await waitUntil(() => !isAlive(pid), graceMs)) return;
  send(target, 'SIGKILL');
  await waitUntil(() => !isAlive(pid), 5000);
}

/** @typedef {Awaited<ReturnType<typeof spawnDaemon>>} Daemon a server that we run; `exited`: how it ended, when it does */

/**
 * Starts a server in its own session: Ctrl-C reaches only us, and we stop servers in order.
 * @param {string[]} command
 * @param {{ log: string, env?: NodeJS.ProcessEnv, cwd?: string, lock?: number }} options `lock`: a descriptor that it keeps open while it lives
 */
async function spawnDaemon([program, ...args], { log, env = environment('server'), cwd, lock }) {
  fs.mkdirSync(path.dirname(log), { recursive: true });
  const out = fs.openSync(log, 'a', 0o600);
  const kept = lock === undefined ? [] : [lock];
  const child = spawn(program, args, { env, cwd, detached: true, stdio: ['ignore', out, out, ...kept] });
  fs.closeSync(out);
  await once(child, 'spawn').catch((error) => {
    throw new Error(`cannot start ${program}: ${error.message}`);
  });
  const exited = once(child, 'exit').then(([code, signal]) => signal ?? `exit status ${code}`);
  return { pid: /** @type {number} */ (child.pid), exited };
}

/** @param {string} file @returns {number} bytes; 0 when there is none */
const sizeOf = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * @param {string} file @param {number} [lines] @param {number} [from] bytes before it are of earlier
 * @returns {string} the end of a log, for an error message
 */
function tail(file, lines = 5, from = 0) {
  if (!fs.existsSync(file)) return '';
  return fs.readFileSync(file).subarray(from).toString().trimEnd().split('\n').slice(-lines).join('\n');
}

module.exports = { send, signalRunning, sizeOf, stopPid, spawnDaemon, tail };
