'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { apps } = require('../../ecosystem.config');
const { environment } = require('../lib/environment');
const { freePort } = require('../lib/ports');
const { isAlive } = require('../lib/proc');
const { stopPid } = require('../lib/process');
const { root } = require('../lib/runtime');
const { startValkey } = require('../lib/valkey');
const { waitUntil } = require('../lib/wait-until');
const { register } = require('./running');

const startTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;

/**
 * @typedef {object} Contestant a server to be measured
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
 * Starts a server pinned to a core, all contestants to the same, and waits until it listens.
 * @param {string[]} command
 * @param {{ port: number, env?: NodeJS.ProcessEnv, cpu?: string, log: string }} options
 * @returns {Promise<Contestant>}
 */
async function start(command, { port, env = {}, cpu = '0', log }) {
  const out = fs.openSync(log, 'a');
  const child = spawn('taskset', ['--cpu-list', cpu, ...command], {
    cwd: root,
    env: environment('server', env),
    detached: true, // Ctrl-C reaches only us, who stop it
    stdio: ['ignore', out, out],
  });
  fs.closeSync(out);
  const pid = /** @type {number} */ (child.pid);
  const stop = register(() => stopPid(pid, 'SIGTERM', stopTimeoutMs));
  const up = await waitUntil(async () => !isAlive(pid) || (await accepts(port)), startTimeoutMs);
  if (!up || !isAlive(pid)) throw new Error(`${command.join(' ')} does not listen: see ${log}`);
  return { port, pid, stop };
}

/** @param {string} file */
const peer = (file) => path.join(__dirname, 'peers', file);

/**
 * Our worker, alone, with the memory that PM2 gives it.
 * @param {{ dsn: string, redisUrl?: string, l1Bytes?: number, log: string, cpu?: string }} options
 * @returns {Promise<Contestant & { adminPort: number }>}
 */
async function startWorker({ dsn, redisUrl = '', l1Bytes, log, cpu }) {
  const port = await freePort();
  const adminPort = await freePort();
  const env = {
    ...apps[0].env,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    DATABASE_URL: dsn,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'warn',
    ...(l1Bytes === undefined ? {} : { L1_MAX_BYTES: String(l1Bytes) }),
  };
  const command = [process.execPath, ...apps[0].node_args, path.join(root, 'server/index.js')];
  return { ...(await start(command, { port, env, log, cpu })), adminPort };
}

/**
 * An empty Valkey with the settings of the service.
 * @param {string} dir @param {string} name of its folder
 * @returns {Promise<string>} its URL
 */
async function startCache(dir, name) {
  const folder = path.join(dir, name);
  fs.mkdirSync(folder, { recursive: true });
  const valkey = await startValkey({ dir: folder });
  register(() => valkey.stop());
  return valkey.url;
}

/**
 * The same bytes for every request.
 * @param {'http' | 'express'} kind @param {string} file @param {string} log
 */
async function startConstant(kind, file, log) {
  const port = await freePort();
  return start([process.execPath, peer('constant.js'), kind, String(port), file], { port, log });
}

/**
 * @param {object} options
 * @param {string} options.dsn of a role that reads the tables
 * @param {string} [options.redisUrl]
 * @param {'offset' | 'keyset'} [options.pages] its first form of a page, or its later one
 * @param {string} options.log
 * @param {string} [options.cpu]
 */
async function startJournal({ dsn, redisUrl = '', pages = 'offset', log, cpu }) {
  const port = await freePort();
  const env = { DATABASE_URL: dsn, REDIS_URL: redisUrl };
  const command = [process.execPath, peer('journal.js'), String(port), pages];
  return start(command, { port, env, log, cpu });
}

/** @param {{ binary: string, query: 'live' | 'document', dsn: string, log: string }} options */
async function startGo({ binary, query, dsn, log }) {
  const port = await freePort();
  // One core is what it is given; Go sees it by its affinity.
  return start([binary, String(port), query], { port, env: { DATABASE_URL: dsn }, log });
}

module.exports = {
  start,
  startWorker,
  startCache,
  startConstant,
  startJournal,
  startGo,
};
