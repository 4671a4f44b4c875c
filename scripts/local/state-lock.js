'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { holderOf, takeLock } = require('../lib/lock');
const { inState } = require('./state');
const { UsageError } = require('../lib/command-line');

/**
 * Makes us the only start of a state folder.
 * @param {import('./state').State} state
 * @returns {Promise<() => boolean>} whether the folder is still the one that was locked
 * @throws {UsageError} when another one runs
 */
async function lockState(state) {
  const name = fs.realpathSync(state.dir);
  if (!(await takeLock(name))) {
    const pid = holderOf(name); // not from a file: the folder may have been recreated while that start runs
    const holder = pid
      ? `another start (pid ${pid}): stop that one (kill ${pid})`
      : "another account's start: stop that one";
    throw new UsageError(`${state.dir} is in use by ${holder}, or choose another folder with --state DIR`);
  }
  const file = path.join(state.pids, 'start.pid');
  inState(state.dir, () => fs.writeFileSync(file, `${process.pid}\n`));
  return () => fs.existsSync(file);
}

module.exports = { lockState };
