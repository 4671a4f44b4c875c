'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { environment } = require('./environment');
const { allPids, descriptorsOf, readOrNothing } = require('./proc');

const pollMs = 250;

/** @param {string} name @returns {string} of its abstract socket, without the NUL before it */
const socketName = (name) => `catalog-${crypto.createHash('sha256').update(name).digest('hex')}`;

/** @param {number} fd @param {string} file @returns {boolean} whether the descriptor is still that of the file */
function isFileOf(fd, file) {
  const [ours, there] = [fs.fstatSync(fd), fs.statSync(file, { throwIfNoEntry: false })];
  return there?.ino === ours.ino && there.dev === ours.dev;
}

/**
 * Node has no flock(2), but the lock that flock(1) takes on an inherited descriptor belongs to all processes that have it. Every namespace
 * sees it, and the kernel frees it when the last of them ends.
 * @param {string} file @param {string} [flags] `r` for a folder @returns {number | null} its descriptor; null: other processes have the lock
 */
function lockFile(file, flags = 'a+') {
  const fd = fs.openSync(file, flags, 0o600); // NFS locks only files that are open for writing
  const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', 'ignore', 'pipe', fd]);
  const { status, stderr, error } = spawnSync('flock', ['-n', '-x', '3'], { stdio, env: environment('server') });
  if (status === 0 && isFileOf(fd, file)) return fd;
  fs.closeSync(fd);
  if (status === 0) return lockFile(file, flags); // removed before it was locked
  const said = `${stderr ?? ''}`.trim();
  if (status === 1 && !said) return null;
  const missing = /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === 'ENOENT';
  throw new Error(
    missing
      ? 'flock is needed and was not found on PATH: install util-linux (Debian, Ubuntu: apt-get install util-linux)'
      : `cannot lock ${file} (${said || error?.message || `flock ended with status ${status}`}): use a disk that has file locks`,
  );
}

/**
 * An abstract socket (unix(7)) of this network namespace: the kernel gives it to one process and frees it when that process ends.
 * @param {string} name @returns {Promise<net.Server | null>} null: another process has it
 */
function takeLock(name) {
  const lock = net.createServer().unref();
  return new Promise((resolve, reject) => {
    lock.once('error', (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    lock.listen(`\0${socketName(name)}`, () => resolve(lock));
  });
}

/** @param {string} name @returns {number | undefined} the process that has the lock; none when it is another account's */
function holderOf(name) {
  const row = readOrNothing('/proc/net/unix')
    .split('\n')
    .find((line) => line.includes(` @${socketName(name)}`));
  const inode = row?.trim().split(/\s+/)[6];
  return inode ? allPids().find((pid) => descriptorsOf(pid).includes(`socket:[${inode}]`)) : undefined;
}

/**
 * Two installations would write into the same folders, so the second waits.
 * @template T
 * @param {string} folder @param {(line: string) => void} say @param {() => Promise<T>} work
 * @param {AbortSignal} [signal] ends the waiting @returns {Promise<T>}
 */
async function withInstallLock(folder, say, work, signal) {
  const file = path.join(folder, 'install.lock');
  let lock = lockFile(file);
  if (lock === null) say('waiting for another installation');
  while (lock === null) {
    await sleep(pollMs, undefined, { signal });
    lock = lockFile(file);
  }
  try {
    return await work();
  } finally {
    fs.closeSync(lock);
  }
}

module.exports = { holderOf, isFileOf, lockFile, takeLock, withInstallLock };
