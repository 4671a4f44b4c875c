'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { renderNginx } = require('../../nginx/render');
const { environment } = require('../lib/environment');
const { makeWorkFolder, memoryFolder, workFolder, workerAccount } = require('./nginx-folders');
const { hasIpv6Loopback, requireFree } = require('./ports');
const { isAlive, openFilesLimit } = require('../lib/proc');
const { spawnDaemon, stopPid, tail } = require('../lib/process');
const { binaries } = require('../lib/runtime');
const { openState } = require('./state');
const { waitUntil } = require('../lib/wait-until');

const run = promisify(execFile);
const startTimeoutMs = 10_000;
const stopTimeoutMs = 20_000; // above worker_shutdown_timeout

/**
 * @param {string} nginx program @param {import('./state').State} state @param {string} log of its errors
 * @param {import('../../nginx/render').NginxSettings} settings
 * @returns {Promise<string[]>} the command, its configuration written and accepted
 */
async function configured(nginx, state, log, settings) {
  fs.mkdirSync(state.nginx, { recursive: true, mode: 0o700 });
  const config = path.join(state.nginx, 'nginx.conf');
  fs.writeFileSync(config, renderNginx(settings));
  const words = ['-p', `${state.nginx}/`, '-e', log, '-c', config];
  await run(nginx, [...words, '-t', '-q'], { env: environment('server') }).catch((error) => {
    throw new Error(`nginx refuses its configuration ${config}: ${error.stderr || error.message}`);
  });
  return [nginx, ...words];
}

/**
 * Starts nginx on a state folder.
 * @param {{ dir: string, port: number, workers: string[], tls?: import('../../nginx/tls').Tls, rateLimit?: number }} options `workers` as host:port
 * @returns {Promise<import('./supervise').Server & { reload: () => void }>}
 */
async function startNginx({ dir, port, workers, tls, rateLimit }) {
  const state = openState(dir);
  const { nginx } = binaries();
  const work = workFolder(state);
  const memory = memoryFolder(state.dir);
  const folders = memory ? [work, memory] : [work];
  folders.forEach(makeWorkFolder);
  const log = path.join(state.logs, 'nginx-error.log');
  const command = await configured(nginx, state, log, {
    port,
    tls,
    rateLimit,
    workers,
    work,
    logs: state.logs,
    openFiles: openFilesLimit() || 1024,
    cache: memory && path.join(memory, 'cache'),
    ipv6Loopback: await hasIpv6Loopback(),
    keepsIdle: canKeepIdle((await run(nginx, ['-v'], { env: environment('server') })).stderr),
    user: workerAccount(),
  });
  // Its sockets are reuseport: a second nginx would share the port without a word, and half of the requests.
  const ports = [{ option: 'port', number: port }, ...(tls ? [{ option: 'tls-port', number: tls.port }] : [])];
  await requireFree(ports.map((each) => ({ ...each, host: '0.0.0.0' })));
  const pidFile = path.join(work, 'nginx.pid');
  fs.rmSync(pidFile, { force: true });
  const server = await spawnDaemon(command, { log, pidFile: path.join(state.pids, 'nginx.pid') });
  const stop = async () => {
    await stopPid(server.pid, 'SIGQUIT', stopTimeoutMs);
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
  };
  const settled = () => fs.existsSync(pidFile) || !isAlive(server.pid);
  await waitUntil(settled, startTimeoutMs);
  if (!isAlive(server.pid) || !fs.existsSync(pidFile)) {
    await stop();
    throw new Error(`nginx did not start: ${tail(log, 2)}`);
  }
  const reload = () => process.kill(server.pid, 'SIGHUP');
  return { pid: server.pid, exited: server.exited, stop, reload };
}

module.exports = { startNginx };
