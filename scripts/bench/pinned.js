'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const { environment } = require('../lib/environment');
const { isAlive } = require('../lib/proc');
const { stopPid } = require('../lib/process');
const { root } = require('../lib/runtime');
const { waitUntil } = require('../lib/wait-until');
const { register } = require('./running');

const startTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;
const bothCores = '0,1';

/**
 * @typedef {object} Server to be measured
 * @property {number} port
 * @property {number} pid
 * @property {() => Promise<void>} stop
 */

/** @param {number} port @returns {Promise<boolean>} */
const accepts = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * Starts a server on the given cores, all servers of a comparison on the same ones, and waits until it listens.
 * @param {string[]} command
 * @param {{ port: number, env?: NodeJS.ProcessEnv, cpu?: string, log: string }} options
 * @returns {Promise<Server>}
 */
async function startPinned(command, { port, env = {}, cpu = '0', log }) {
  const out = fs.openSync(log, 'a');
  const child = spawn('taskset', ['--cpu-list', cpu, ...command], {
    cwd: root,
    env: environment('server', env),
    detached: true, // Ctrl-C reaches only this process, which stops the server
    stdio: ['ignore', out, out],
  });
  fs.closeSync(out);
  const pid = /** @type {number} */ (child.pid);
  const stop = register(() => stopPid(pid, 'SIGTERM', stopTimeoutMs));
  const up = await waitUntil(async () => !isAlive(pid) || (await accepts(port)), startTimeoutMs);
  if (!up || !isAlive(pid)) throw new Error(`${command.join(' ')} does not listen: see ${log}`);
  return { port, pid, stop };
}

module.exports = { bothCores, startPinned };
