'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { stopOrphans } = require('./pm2');
const { carriesMark, isAlive, otherPids, parentOf, readOrNothing, workFolderOf } = require('../lib/proc');
const { stopPid } = require('../lib/process');

/** @type {{ name: string, signal: NodeJS.Signals, group?: boolean }[]} in the order to stop them */
const parts = [
  { name: 'nginx', signal: 'SIGTERM' },
  { name: 'pm2', signal: 'SIGTERM' },
  { name: 'tool', signal: 'SIGTERM', group: true },
  { name: 'valkey', signal: 'SIGTERM' },
  { name: 'postgres', signal: 'SIGINT' },
];
/** Marks what was started for a state folder, so that this run or the next one finds it. */
const stateVariable = 'CATALOG_STATE';
/** Marks a whole stack: a start finds what a killed one left, even if the folder with its pids was removed. */
const stackVariable = 'CATALOG_STACK';
const partGraceMs = 30_000;
const graceMs = 15_000;
/** A process may start another while it is being stopped. */
const rounds = 3;
/** Their title overwrites their environment, but names a file of their folder. */
const titled = /^(nginx|valkey-server|postgres)\n?$/;

/**
 * Processes that have a variable with this folder in their environment. A shell or an editor that only mentions the folder has not.
 * @param {string} name @param {string} dir its value @returns {number[]}
 */
function startedWith(name, dir) {
  const folder = Buffer.from(dir).toString('latin1');
  const real = fs.existsSync(dir) ? fs.realpathSync(dir) : dir;
  const ours = (/** @type {number} */ pid) => {
    const program = readOrNothing(`/proc/${pid}/comm`);
    // For a moment, a process that PostgreSQL forked has the title of its parent, and the signal means something else to it.
    if (titled.test(program) && readOrNothing(`/proc/${parentOf(pid)}/comm`) === program) return false;
    if (`\0${readOrNothing(`/proc/${pid}/environ`)}`.includes(`\0${name}=${folder}\0`)) return true;
    if (titled.test(program) && readOrNothing(`/proc/${pid}/cmdline`).includes(`${folder}/`)) return true;
    // Valkey's title has only its socket, which may be elsewhere; its working folder is in ours. So is that of all processes of
    // PostgreSQL, but only the first may get the signal.
    return program === 'valkey-server\n' && workFolderOf(pid).startsWith(`${real}/`);
  };
  return otherPids().filter((pid) => isAlive(pid) && ours(pid));
}

/** At SIGTERM PostgreSQL waits for its clients, at SIGINT it does not. @param {number} pid */
const signalFor = (pid) => (readOrNothing(`/proc/${pid}/comm`).startsWith('postgres') ? 'SIGINT' : 'SIGTERM');

/**
 * Stops all of them at once.
 * @param {string} name of the variable @param {string} dir @returns {Promise<number>} how many there were
 */
async function stopProcesses(name, dir) {
  let stopped = 0;
  for (let round = 0; round < rounds; round += 1) {
    const pids = startedWith(name, dir);
    if (pids.length === 0) break;
    stopped += pids.length;
    await Promise.all(pids.map((pid) => stopPid(pid, signalFor(pid), graceMs)));
  }
  return stopped;
}

/**
 * Stops all of them, and unmounts disks below the folder: the process that would have stopped each in order was killed.
 * @param {string} name of the variable @param {string} dir @returns {Promise<number>} how many there were
 */
async function stopStartedWith(name, dir) {
  const stopped = await stopProcesses(name, dir);
  for (const line of readOrNothing('/proc/self/mounts').split('\n')) {
    const place = line.split(' ')[1]?.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));
    if (place?.startsWith(`${Buffer.from(dir).toString('latin1')}${path.sep}`))
      execFileSync('umount', ['--lazy', Buffer.from(place, 'latin1').toString()], { env: environment('server') });
  }
  return stopped;
}

/** @param {string} file @returns {number} 0 when there is none */
const pidIn = (file) => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);

/**
 * Stops what a killed start left running.
 * @param {import('./state').State} state @param {(line: string) => void} say
 */
async function stopLeftovers(state, say) {
  for (const { name, signal, group } of parts) {
    const file = path.join(state.pids, `${name}.pid`);
    const pid = pidIn(file);
    if (pid > 0 && [state.dir, state.run].some((mark) => carriesMark(pid, mark))) {
      say(`an earlier start left ${name} (pid ${pid}) running: stopping it`);
      await stopPid(pid, signal, partGraceMs, { group });
    }
    fs.rmSync(file, { force: true });
    if (name === 'pm2') {
      const count = await stopOrphans(state);
      if (count > 0) say(`an earlier start left ${count} workers running: stopped them`);
    }
  }
  const others = await stopProcesses(stackVariable, state.dir);
  if (others > 0) say(`an earlier start left ${others} processes running: stopped them`);
}

module.exports = { stackVariable, stateVariable, stopLeftovers, stopStartedWith };
