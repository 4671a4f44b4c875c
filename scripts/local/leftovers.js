'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { isAlive, linkOf, otherPids, parentOf, readOrNothing } = require('../lib/proc');
const { stopPid } = require('../lib/process');

/** Marks what was started for a state folder: this run or the next one finds it, even when the folder was removed. */
const stateVariable = 'CATALOG_STATE';
/** PM2 waits for its workers (kill_timeout of ecosystem.config.js), PostgreSQL writes what it has in memory. */
const graceMs = 30_000;
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
    return program === 'valkey-server\n' && linkOf(pid, 'cwd').startsWith(`${real}/`);
  };
  return otherPids().filter((pid) => isAlive(pid) && ours(pid));
}

/** At SIGTERM PostgreSQL waits for its clients, at SIGINT it does not. @param {number} pid */
const signalFor = (pid) => (readOrNothing(`/proc/${pid}/comm`).startsWith('postgres') ? 'SIGINT' : 'SIGTERM');

/**
 * Stops all of them at once: the process that would have stopped each in order was killed.
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
 * The same for a folder that only tests and measurements use: disks below it are unmounted, too.
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

module.exports = { stateVariable, stopProcesses, stopStartedWith };
