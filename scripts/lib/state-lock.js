'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { pidIn } = require('./leftovers');
const { takeLock } = require('./lock');
const { UsageError } = require('./command-line');

/**
 * Makes us the only start of a state folder.
 * @param {import('./state').State} state
 * @throws {UsageError} when another one runs
 */
async function lockState(state) {
  const file = path.join(state.pids, 'start.pid');
  if (!(await takeLock(fs.realpathSync(state.dir))))
    throw new UsageError(
      `${state.dir} is in use by another start (pid ${pidIn(file)}): stop that one, or choose --state DIR`,
    );
  fs.writeFileSync(file, `${process.pid}\n`);
}

module.exports = { lockState };
