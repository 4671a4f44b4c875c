'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { takeLock } = require('./lock');
const { carriesMark, stopPid } = require('./process');
const { stopOrphans } = require('./pm2');
const { UsageError } = require('./usage');

/** @type {{ name: string, signal: NodeJS.Signals, group?: boolean }[]} in the order to stop them */
const parts = [
  { name: 'nginx', signal: 'SIGTERM' },
  { name: 'pm2', signal: 'SIGTERM' },
  { name: 'tool', signal: 'SIGTERM', group: true },
  { name: 'valkey', signal: 'SIGTERM' },
  { name: 'postgres', signal: 'SIGINT' },
];
const stopTimeoutMs = 30_000;

/** @param {string} file @returns {number} 0 when there is none */
const pidIn = (file) => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);

/**
 * Makes us the only start of a state folder.
 * @param {import('./state').State} state
 * @throws {UsageError} when another one runs
 */
async function becomeOnly(state) {
  const file = path.join(state.pids, 'start.pid');
  if (!(await takeLock(fs.realpathSync(state.dir))))
    throw new UsageError(
      `${state.dir} is in use by another start (pid ${pidIn(file)}): stop that one, or choose --state DIR`,
    );
  fs.writeFileSync(file, `${process.pid}\n`);
}

/**
 * Stops what a killed start left running, so that this one starts from nothing.
 * @param {import('./state').State} state @param {(line: string) => void} say
 */
async function stopLeftovers(state, say) {
  for (const { name, signal, group } of parts) {
    const file = path.join(state.pids, `${name}.pid`);
    const pid = pidIn(file);
    if (pid > 0 && [state.dir, state.run].some((mark) => carriesMark(pid, mark))) {
      say(`an earlier start left ${name} (pid ${pid}) behind: stopping it`);
      await stopPid(pid, signal, stopTimeoutMs, { group });
    }
    fs.rmSync(file, { force: true });
    if (name === 'pm2') {
      const count = await stopOrphans(state);
      if (count > 0) say(`an earlier start left ${count} workers behind: stopped`);
    }
  }
}

module.exports = { becomeOnly, stopLeftovers };
