'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('./environment');
const { carriesMark } = require('./proc');
const { spawnDaemon, stopPid, tail } = require('./process');
const { root } = require('./runtime');
const { runTool } = require('./run');
const { openState } = require('./state');
const { waitUntil } = require('./wait-until');

const pm2Folder = path.join(root, 'node_modules/pm2');
const ecosystem = path.join(root, 'ecosystem.config.js');
const daemonStartMs = 15_000;
const daemonStopMs = 30_000; // above kill_timeout of ecosystem.config.js, PM2 waits for its workers

/**
 * The workers get what they read (server/settings.js) and nothing that only the loader may know. A HOST of the shell is no setting:
 * they must listen where nginx asks.
 * @param {import('./state').State} state
 * @param {Record<string, string>} settings
 * @returns {NodeJS.ProcessEnv}
 */
function pm2Environment(state, settings) {
  const own = { CATALOG_LOGS: state.logs, PM2_HOME: state.pm2, PM2_DISABLE_VERSION_CHECK: 'true' };
  return environment('worker', { ...settings, ...own });
}

/**
 * Workers outlive a killed PM2; each left its pid in PM2's folder.
 * @param {import('./state').State} state
 */
async function stopOrphans(state) {
  const folder = path.join(state.pm2, 'pids');
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const pids = files.map((file) => Number(fs.readFileSync(path.join(folder, file), 'utf8')));
  const ours = pids.filter((pid) => pid > 0 && carriesMark(pid, state.pm2));
  await Promise.all(ours.map((pid) => stopPid(pid, 'SIGTERM', daemonStopMs)));
  for (const file of files) fs.rmSync(path.join(folder, file), { force: true });
  return ours.length;
}

/**
 * Starts PM2's daemon as our own child, so that its end is seen, and the workers of ecosystem.config.js.
 * Resolves when every worker said that it is ready.
 * @param {{ dir: string, settings: Record<string, string>, signal?: AbortSignal }} options `settings`: environment
 *   of the workers
 * @returns {Promise<import('./supervise').Server>}
 */
async function startPm2({ dir, settings, signal }) {
  const state = openState(dir);
  const env = pm2Environment(state, settings);
  fs.mkdirSync(state.pm2, { recursive: true, mode: 0o700 });
  await stopOrphans(state);
  for (const name of ['rpc.sock', 'pub.sock']) fs.rmSync(path.join(state.pm2, name), { force: true });
  const log = path.join(state.logs, 'pm2.log');
  const daemon = await spawnDaemon([process.execPath, path.join(pm2Folder, 'lib/Daemon.js')], {
    log,
    pidFile: path.join(state.pids, 'pm2.pid'),
    env,
  });
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
  if (status !== 0) {
    await stop();
    throw new Error(`the workers did not start: ${output.trim()}\nsee ${state.logs}`);
  }
  return { pid: daemon.pid, exited: daemon.exited, stop };
}

module.exports = { pm2Environment, startPm2, stopOrphans };
