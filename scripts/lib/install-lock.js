'use strict';
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const pollMs = 250;

/** @param {string} file @returns {number | null} the pid of a holder that lives, null when the lock is ours to take */
function holder(file) {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    return code === 'EPERM' ? -1 : null;
  }
}

/** @param {string} file @returns {boolean} */
function take(file) {
  try {
    // A link appears with its content; a file that is created and then written is empty for a moment.
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, String(process.pid));
    try {
      fs.linkSync(draft, file);
    } finally {
      fs.rmSync(draft);
    }
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    if (holder(file) === null) fs.rmSync(file, { force: true });
    return false;
  }
}

/**
 * Two installations at once would write into the same folders: the second waits for the first.
 * @template T
 * @param {string} file
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(file, say, work) {
  let told = false;
  while (!take(file)) {
    if (!told && holder(file)) say(`waiting for another installation (pid ${holder(file)})`);
    told = true;
    await sleep(pollMs);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

module.exports = { withLock };
