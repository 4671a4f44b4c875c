'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { get } = require('../lib/probe');
const { isAlive, readOrNothing } = require('../lib/proc');
const { sizeOf, spawnDaemon, stopPid, tail } = require('../lib/process');
const { root } = require('../lib/runtime');
const { runTool } = require('../lib/run');
const { stopProcesses } = require('./leftovers');
const { openState } = require('./state');
const { waitUntil } = require('../lib/wait-until');

const pm2Folder = path.join(root, 'node_modules/pm2');
const ecosystem = path.join(root, 'ecosystem.config.js');
const daemonStartMs = 15_000;
const answerMs = 30_000; // a worker on a busy machine
const daemonStopMs = 30_000; // above kill_timeout of ecosystem.config.js, PM2 waits for its workers

/**
 * The workers get their settings (server/config/settings.js) and nothing of the loader. HOST of the shell does not pass: they must listen
 * where nginx connects.
 * @param {import('./state').State} state @param {Record<string, string>} settings @returns {NodeJS.ProcessEnv}
 */
function pm2Environment(state, settings) {
  const own = { CATALOG_LOGS: state.logs, PM2_HOME: state.pm2, PM2_DISABLE_VERSION_CHECK: 'true' };
  return environment('worker', { ...settings, ...own });
}

/** @param {import('./state').State} state @returns {string[]} files with the pid of a worker */
function pidFiles({ pm2 }) {
  const folder = path.join(pm2, 'pids');
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((file) => path.join(folder, file)) : [];
}

/** Workers outlive a killed PM2. @param {import('./state').State} state */
const stopOrphans = (state) => stopProcesses('PM2_HOME', state.pm2);

/**
 * PM2 reports a worker that ended as started, and restarts it. Only the worker's log says why.
 * @param {import('./state').State} state @param {ReturnType<typeof workersOf>} workers @param {AbortSignal} [signal]
 * @returns {Promise<string[]>} the last log lines of those that do not answer
 */
async function lastWords(state, workers, signal) {
  // PM2 removes a pid file when its worker ends.
  const hasEnded = () => pidFiles(state).filter((file) => isAlive(Number(readOrNothing(file)))).length < workers.length;
  const answers = async (/** @type {typeof workers[number]} */ { adminPort }) =>
    (await get(`http://127.0.0.1:${adminPort}/livez`)).status === 200;
  let silent = workers;
  const settled = async () => {
    const ended = hasEnded();
    const all = await Promise.all(workers.map(answers));
    silent = workers.filter((_, index) => !all[index]);
    return silent.length === 0 || ended || Boolean(signal?.aborted);
  };
  await waitUntil(settled, answerMs);
  if (signal?.aborted) return [];
  return silent.map(({ name, log, logged }) => `${name}: ${tail(log, 5, logged)}`);
}

/** The workers, and the writer where there is one. @param {import('./state').State} state @param {Record<string, string>} settings */
function workersOf({ logs }, { CATALOG_WORKERS, CATALOG_WORKER_PORT, CATALOG_ADMIN_PORT, WRITE_ADMIN_PORT }) {
  const workers = Array.from({ length: Number(CATALOG_WORKERS) }, (_, index) => {
    return { name: `worker-${Number(CATALOG_WORKER_PORT) + index}`, adminPort: Number(CATALOG_ADMIN_PORT) + index };
  });
  const programs = WRITE_ADMIN_PORT ? [...workers, { name: 'writer', adminPort: Number(WRITE_ADMIN_PORT) }] : workers;
  return programs.map((program) => {
    const log = path.join(logs, `${program.name}.log`);
    return { ...program, log, logged: sizeOf(log) };
  });
}

/**
 * Starts PM2's daemon as our own child, so that we see when it ends, and the workers of ecosystem.config.js.
 * Resolves when every worker is ready.
 * @param {{ dir: string, lock?: number, settings: Record<string, string>, signal?: AbortSignal }} options `settings`: environment
 *   of the workers
 * @returns {Promise<import('./supervise').Server>}
 */
async function startPm2({ dir, lock, settings, signal }) {
  const state = openState(dir);
  const env = pm2Environment(state, settings);
  fs.mkdirSync(state.pm2, { recursive: true, mode: 0o700 });
  await stopOrphans(state);
  const sockets = ['rpc.sock', 'pub.sock'].map((name) => path.join(state.pm2, name));
  for (const left of [...pidFiles(state), ...sockets]) fs.rmSync(left, { force: true });
  const log = path.join(state.logs, 'pm2.log');
  const workers = workersOf(state, settings);
  const daemon = await spawnDaemon([process.execPath, path.join(pm2Folder, 'lib/Daemon.js')], { log, env, lock });
  const stop = async () => {
    await stopPid(daemon.pid, 'SIGTERM', daemonStopMs);
    await stopOrphans(state);
  };
  const listening = () => fs.existsSync(path.join(state.pm2, 'rpc.sock'));
  const { status, output } = (await waitUntil(listening, daemonStartMs))
    ? await runTool([process.execPath, path.join(pm2Folder, 'bin/pm2'), '--no-color', 'start', ecosystem], {
        env,
        signal,
        keepOutput: true,
      })
    : { status: 1, output: tail(log) };
  const said = status === 0 ? await lastWords(state, workers, signal) : [output.trim()];
  if (said.length > 0) {
    await stop();
    throw new Error(`the workers did not start: ${said.join('\n')}\nsee ${state.logs}`);
  }
  return { pid: daemon.pid, exited: daemon.exited, stop };
}

module.exports = { pm2Environment, startPm2 };
