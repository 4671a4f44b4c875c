'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { listens } = require('../lib/probe');
const { isAlive } = require('../lib/proc');
const { spawnDaemon, stopPid, tail } = require('../lib/process');
const { binaries } = require('../lib/runtime');
const { openState } = require('./state');
const { waitUntil } = require('../lib/wait-until');

const startTimeoutMs = 10_000;
const stopTimeoutMs = 5000;

/** A cache: full means forget the least used, and a restart may forget everything. */
const settings = {
  port: '0',
  unixsocketperm: '700',
  'maxmemory-policy': 'allkeys-lru',
  save: '',
  appendonly: 'no',
  daemonize: 'no',
  'lazyfree-lazy-eviction': 'yes', // frees large values off the main thread; a swap drops many at once
};

/**
 * Starts the embedded Valkey of a state folder on a Unix socket, without persistence.
 * @param {{ dir: string, lock?: number, maxMemoryMb?: number }} options
 */
async function startValkey({ dir, lock, maxMemoryMb = 256 }) {
  const state = openState(dir);
  fs.mkdirSync(state.valkey, { recursive: true, mode: 0o700 });
  const socket = path.join(state.run, 'valkey.sock');
  const log = path.join(state.logs, 'valkey.log');
  fs.rmSync(socket, { force: true });
  const all = { ...settings, unixsocket: socket, dir: state.valkey, maxmemory: `${maxMemoryMb}mb` };
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const command = [binaries().valkeyServer, ...words];
  const server = await spawnDaemon(command, { log, lock });
  const stop = () => stopPid(server.pid, 'SIGTERM', stopTimeoutMs);
  const url = pathToFileURL(socket).href.replace(/^file:/, 'unix:'); // a folder's name may have any character
  const ok = await waitUntil(async () => !isAlive(server.pid) || (await listens(url)), startTimeoutMs);
  if (!ok || !isAlive(server.pid)) {
    await stop();
    throw new Error(`Valkey did not start: ${tail(log)}\nsee ${log}, or use REDIS_URL`);
  }
  return { url, socket, pid: server.pid, exited: server.exited, log, stop };
}

module.exports = { startValkey };
