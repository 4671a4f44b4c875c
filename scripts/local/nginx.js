'use strict';
const { execFile } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { renderNginx } = require('../../nginx/render');
const { NGINX_CACHE_MB } = require('../../server/core/policy');
const { environment } = require('../lib/environment');
const { hasIpv6Loopback, requireFree } = require('./ports');
const { inspect, lackOf } = require('../lib/floors');
const { isAlive, openFilesLimit } = require('../lib/proc');
const { spawnDaemon, stopPid, tail } = require('../lib/process');
const { nginxPrograms } = require('../lib/runtime');
const { openState } = require('./state');
const { waitUntil } = require('../lib/wait-until');

const run = promisify(execFile);
const startTimeoutMs = 10_000;
const stopTimeoutMs = 20_000; // above worker_shutdown_timeout
const cacheBytes = NGINX_CACHE_MB * 2 ** 20;

/**
 * The account of nginx's workers when we are root: an attacker who breaks a worker must not be root.
 * @returns {string | undefined} `nobody nogroup`
 */
function workerAccount() {
  if (process.getuid?.() !== 0) return undefined;
  const [, gid] = /^nobody:[^:]*:\d+:(\d+):/m.exec(fs.readFileSync('/etc/passwd', 'utf8')) ?? [];
  const groups = fs.readFileSync('/etc/group', 'utf8');
  const [, group] = new RegExp(`^([^:]+):[^:]*:${gid}:`, 'm').exec(groups) ?? [];
  return group ? `nobody ${group}` : undefined;
}

/** @param {string} dir a folder of ours @returns {string} a name for its part among things of others */
const folderName = (dir) => `catalog-nginx-${crypto.createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;

/**
 * The folder of the cache: in memory where there is room, else beside nginx's other files.
 * @param {string} dir @param {string} [memory] a tmpfs @returns {string | undefined}
 */
function memoryFolder(dir, memory = '/dev/shm') {
  try {
    fs.accessSync(memory, fs.constants.W_OK);
  } catch {
    return undefined;
  }
  const { bavail, bsize } = fs.statfsSync(memory);
  return bavail * bsize < 4 * cacheBytes ? undefined : path.join(memory, folderName(dir));
}

/** @param {string} folder that "nobody" may pass through */
function makePassable(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (fs.lstatSync(folder).uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to another user: remove it`);
  }
  fs.chmodSync(folder, 0o711); // mkdir applies the umask, and does not change a folder that exists
}

/** @typedef {import('../lib/floors').Installed} Installed */

/**
 * @param {string[]} programs the first that accepts the configuration is taken
 * @param {import('./state').State} state @param {string} log of its errors @param {import('../../nginx/render').NginxSettings} settings
 * @returns {Promise<{ command: string[], program: Installed }>} the configuration is written; without HTTP/2 if the program lacks fixes
 */
async function configured([nginx, ...others], state, log, settings) {
  const config = path.join(state.nginx, 'nginx.conf');
  const program = inspect('nginx', nginx);
  const tls = settings.tls && { ...settings.tls, http2: !lackOf(program) };
  const keepsIdle = canKeepIdle(`nginx/${program.version}`);
  fs.writeFileSync(config, renderNginx({ ...settings, tls, keepsIdle }));
  const words = ['-p', './', '-e', log, '-c', config];
  try {
    await run(nginx, [...words, '-t', '-q'], { env: environment('server'), cwd: state.nginx });
  } catch (error) {
    if (others.length > 0) return configured(others, state, log, settings);
    const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
    throw new Error(`nginx refuses its configuration ${config}: ${stderr || message}`, { cause: error });
  }
  return { command: [nginx, ...words], program };
}

/**
 * Starts nginx on a state folder.
 * @param {{ dir: string, lock?: number, port: number, workers: string[], tls?: import('../../nginx/tls').Tls, rateLimit?: number }} options
 *   `workers` as host:port
 * @returns {Promise<import('./supervise').Server & { reload: () => void, program: Installed }>}
 */
async function startNginx({ dir, lock, port, workers, tls, rateLimit }) {
  const state = openState(dir);
  const memory = memoryFolder(state.dir);
  const folders = [state.nginx, memory].filter((folder) => folder !== undefined);
  folders.forEach(makePassable);
  const log = path.join(state.logs, 'nginx-error.log');
  const { command, program } = await configured(nginxPrograms(), state, log, {
    port,
    tls,
    rateLimit,
    workers,
    work: '.', // nginx's working folder: "nobody" works in it, and could not reach it by its path under /root
    logs: state.logs,
    openFiles: openFilesLimit() || 1024,
    cache: memory && path.join(memory, 'cache'),
    ipv6Loopback: await hasIpv6Loopback(),
    user: workerAccount(),
  });
  // Its sockets are reuseport: a second nginx would share the port without a word, and half of the requests.
  const ports = [{ option: 'port', number: port }, ...(tls ? [{ option: 'tls-port', number: tls.port }] : [])];
  await requireFree(ports.map((each) => ({ ...each, host: '0.0.0.0' })));
  const pidFile = path.join(state.nginx, 'nginx.pid');
  fs.rmSync(pidFile, { force: true });
  const server = await spawnDaemon(command, { log, lock, cwd: state.nginx });
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
  return { pid: server.pid, exited: server.exited, stop, reload, program };
}

module.exports = { memoryFolder, startNginx };
