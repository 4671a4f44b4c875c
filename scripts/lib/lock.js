'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');

const pollMs = 250;

/**
 * An abstract socket (unix(7)) is the lock: the kernel gives it to one process and takes it back when that dies, however it dies.
 * @param {string} name
 * @returns {Promise<net.Server | null>} null: another process has it
 */
function takeLock(name) {
  const lock = net.createServer().unref();
  return new Promise((resolve, reject) => {
    lock.once('error', (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    lock.listen(`\0catalog-${crypto.createHash('sha256').update(name).digest('hex')}`, () => resolve(lock));
  });
}

/**
 * Two installations at once would write into the same folders: the second waits for the first.
 * @template T
 * @param {string} folder
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @param {AbortSignal} [signal] ends the waiting
 * @returns {Promise<T>}
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

module.exports = { takeLock, withInstallLock };
