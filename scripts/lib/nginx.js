'use strict';
const { execFile } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { renderNginx } = require('../../nginx/render');
const { requireFree } = require('./ports');
const { openFilesLimit } = require('./proc');
const { isAlive, spawnDaemon, stopPid, tail, waitUntil } = require('./process');
const { binaries } = require('./runtime');
const { openState } = require('./state');

const run = promisify(execFile);
const startTimeoutMs = 10_000;
const stopTimeoutMs = 20_000; // above worker_shutdown_timeout
/** max_size of proxy_cache_path. */
const cacheBytes = 64 * 2 ** 20;

/**
 * The account of the nginx workers when we are root. Running them as root would hand the machine to whoever
 * breaks one.
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

/** @param {string} dir @returns {boolean} whether every account may pass through it */
function isOpen(dir) {
  const passable = Boolean(fs.statSync(dir).mode & 0o001);
  return passable && (dir === path.dirname(dir) || isOpen(path.dirname(dir)));
}

/**
 * Where nginx writes. "nobody" cannot enter a state folder under /root, so root gets a folder among the temporary
 * ones: it holds a cache of seconds and a pid.
 * @param {import('./state').State} state
 */
function workFolder(state) {
  if (process.getuid?.() !== 0) return state.nginx;
  const base = [os.tmpdir(), '/tmp', '/var/tmp'].find((dir) => fs.existsSync(dir) && isOpen(dir));
  if (!base) throw new Error('nginx needs a folder that user nobody may enter: make /tmp one (mode 1777)');
  return path.join(base, folderName(state.dir));
}

/**
 * Where the cache of a folder's nginx lies: in memory where there is room, else beside its other files. nginx/README.md
 * has what a disk costs.
 * @param {string} dir @param {string} [memory] a tmpfs
 * @returns {string | undefined}
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

/** @param {string} work */
function makeWorkFolder(work) {
  fs.mkdirSync(work, { recursive: true, mode: 0o711 });
  if (fs.lstatSync(work).uid !== process.getuid?.()) {
    throw new Error(`${work} belongs to another user: remove it`);
  }
}

/**
 * Renders the configuration of a state folder, has nginx check it and starts nginx.
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
  fs.mkdirSync(state.nginx, { recursive: true, mode: 0o700 });
  const config = path.join(state.nginx, 'nginx.conf');
  const settings = {
    port,
    tls,
    rateLimit,
    workers,
    work,
    logs: state.logs,
    openFiles: openFilesLimit() || 1024,
    cache: memory && path.join(memory, 'cache'),
    keepsIdle: canKeepIdle((await run(nginx, ['-v'])).stderr),
    user: workerAccount(),
  };
  fs.writeFileSync(config, renderNginx(settings));
  const log = path.join(state.logs, 'nginx-error.log');
  const words = ['-p', `${state.nginx}/`, '-e', log, '-c', config];
  await run(nginx, [...words, '-t', '-q']).catch((error) => {
    throw new Error(`nginx refuses its configuration ${config}: ${error.stderr || error.message}`);
  });
  // Its sockets are reuseport: a second nginx would share the port without a word, and half of the requests.
  const ports = [{ option: 'port', number: port }, ...(tls ? [{ option: 'tls-port', number: tls.port }] : [])];
  await requireFree(ports.map((each) => ({ ...each, host: '0.0.0.0' })));
  const pidFile = path.join(work, 'nginx.pid');
  fs.rmSync(pidFile, { force: true });
  const server = await spawnDaemon([nginx, ...words], {
    log,
    pidFile: path.join(state.pids, 'nginx.pid'),
  });
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

module.exports = { memoryFolder, startNginx };
