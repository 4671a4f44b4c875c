'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { NGINX_CACHE_MB } = require('../../server/policy');

/* The folders in which nginx writes, and the account of its workers. */

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

/** @param {string} dir @returns {boolean} whether every account may pass through it */
function isOpen(dir) {
  const passable = Boolean(fs.statSync(dir).mode & 0o001);
  return passable && (dir === path.dirname(dir) || isOpen(path.dirname(dir)));
}

/**
 * Where nginx writes: its cache of seconds and a pid. "nobody" cannot enter a state folder under /root, so root gets a temporary folder.
 * @param {import('./state').State} state
 */
function workFolder(state) {
  if (process.getuid?.() !== 0) return state.nginx;
  const base = [os.tmpdir(), '/tmp', '/var/tmp'].find((dir) => fs.existsSync(dir) && isOpen(dir));
  if (!base) throw new Error('nginx needs a folder that user nobody may enter: make /tmp one (mode 1777)');
  return path.join(base, folderName(state.dir));
}

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

/** @param {string} work */
function makeWorkFolder(work) {
  fs.mkdirSync(work, { recursive: true, mode: 0o700 });
  if (fs.lstatSync(work).uid !== process.getuid?.()) {
    throw new Error(`${work} belongs to another user: remove it`);
  }
  fs.chmodSync(work, 0o711); // mkdir applies the umask, and does not change a folder that exists
}

module.exports = { makeWorkFolder, memoryFolder, workFolder, workerAccount };
