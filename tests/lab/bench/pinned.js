'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../../../scripts/lib/environment');
const { listens } = require('../../../scripts/lib/probe');
const { isAlive } = require('../../../scripts/lib/proc');
const { spawnDaemon, stopPid } = require('../../../scripts/lib/process');
const { binaries, root } = require('../../../scripts/lib/runtime');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { freePort } = require('../../../scripts/local/ports');
const { registerServer } = require('./running');

const startTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;
const bothCores = '0,1';

/** @typedef {Awaited<ReturnType<typeof startPinned>>} Server to be measured */

/**
 * Starts a server on the given cores, all servers of a comparison on the same ones, and waits until it listens.
 * @param {string[]} command
 * @param {{ port: number, env?: NodeJS.ProcessEnv, cpu?: string, log: string }} options
 */
async function startPinned(command, { port, env, cpu = '0', log }) {
  const pinned = ['taskset', '--cpu-list', cpu, ...command];
  const server = await spawnDaemon(pinned, { log, env: environment('server', env) });
  const { pid } = server;
  const script = command.find((word) => word.endsWith('.js'));
  const name = script ? path.relative(root, script) : path.basename(command[0]);
  const ends = registerServer(name, server, { log, stop: () => stopPid(pid, 'SIGTERM', stopTimeoutMs) });
  const up = await waitUntil(async () => !isAlive(pid) || (await listens(`tcp://127.0.0.1:${port}`)), startTimeoutMs);
  if (!up || !isAlive(pid)) throw new Error(`${command.join(' ')} does not listen: see ${log}`);
  return { port, pid, ...ends };
}

/**
 * Starts nginx with a configuration that says `worker_processes auto`: that counts the cores of the machine, so it gets as many
 * as it may use.
 * @param {{ dir: string, name: string, cpu: string }} place @param {(port: number, work: string) => string} configure
 * @returns {Promise<Server>}
 */
async function startNginx({ dir, name, cpu }, configure) {
  const port = await freePort();
  const work = path.join(dir, `nginx-${name}`);
  fs.rmSync(work, { recursive: true, force: true });
  fs.mkdirSync(work, { recursive: true });
  const config = path.join(work, 'nginx.conf');
  const processes = `worker_processes ${cpu.split(',').length};`;
  fs.writeFileSync(config, configure(port, work).replace('worker_processes auto;', processes));
  return startPinned([binaries().nginx, '-p', work, '-c', config], { port, cpu, log: path.join(work, 'start.log') });
}

/** Takes a share of one core, wherever it is. */
const burning = `const share = Number(process.argv[1]);
const cell = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  for (const end = performance.now() + 10 * share; performance.now() < end; );
  Atomics.wait(cell, 0, 0, 10 * (1 - share));
}`;

/** @param {number} share of a core @param {string} log @returns {Promise<() => Promise<void>>} stops it */
async function startBurning(share, log) {
  const command = ['taskset', '--cpu-list', bothCores, process.execPath, '--eval', burning, String(Math.min(1, share))];
  const server = await spawnDaemon(command, { log, env: environment('server') });
  return registerServer('the burning of CPU', server, {
    log,
    stop: () => stopPid(server.pid, 'SIGKILL', stopTimeoutMs),
  }).stop;
}

module.exports = { bothCores, startBurning, startNginx, startPinned };
