'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { allPids, descriptorsOf, readOrNothing } = require('./proc');

const pollMs = 250;

/** @param {string} name @returns {string} of its abstract socket, without the NUL before it */
const socketName = (name) => `catalog-${crypto.createHash('sha256').update(name).digest('hex')}`;

/**
 * The lock is an abstract socket (unix(7)): the kernel gives it to one process and frees it when that process ends.
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
  const name = `install ${fs.realpathSync(folder)}`;
  let lock = await takeLock(name);
  if (!lock) say('waiting for another installation');
  while (!lock) {
    await sleep(pollMs, undefined, { signal });
    lock = await takeLock(name);
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

module.exports = { holderOf, takeLock, withInstallLock };
