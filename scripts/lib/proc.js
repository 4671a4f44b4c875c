'use strict';
const fs = require('node:fs');

/* Reads processes from /proc, see proc(5). */

/** USER_HZ: what /proc counts in, 100 a second on every machine that Node is built for (time(7)). */
const ticksPerSecond = 100;
/** TCP_LISTEN in /proc/net/tcp, see proc_net_tcp.txt of the kernel. */
const listenState = '0A';

/** @param {string} file @returns {string} empty when the process has just ended */
function readOrNothing(file) {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** @returns {number[]} of every process that we may see */
const allPids = () =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** @returns {number[]} of every process that we may see, but ourselves */
const otherPids = () => allPids().filter((pid) => pid !== process.pid);

/** @param {number} pid @returns {boolean} whether the process exists and is not a zombie */
function isAlive(pid) {
  const status = readOrNothing(`/proc/${pid}/status`);
  return status !== '' && !/^State:\s+Z/m.test(status);
}

/** @param {number} pid @returns {number} its parent; NaN when it has just ended */
const parentOf = (pid) => Number(/^PPid:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1]);

/** @param {number} pid @returns {string[]} its threads; none when it has just ended */
function threadsOf(pid) {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {number[]} */
const childrenOf = (pid) =>
  threadsOf(pid).flatMap((thread) =>
    readOrNothing(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );

/** @param {number} pid @returns {number[]} the process and all below it */
const processTree = (pid) => [pid, ...childrenOf(pid).flatMap(processTree)];

/** @param {string} text of /proc/PID/stat @returns {number} utime + stime; the name before them may hold blanks */
function processTicks(text) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/**
 * @param {string} text of /proc/stat
 * @returns {{ busy: number, stolen: number }} ticks in which cores had work, and those of them that the hypervisor gave to others
 */
function machineTicks(text) {
  const fields = text.split('\n', 1)[0].trim().split(/\s+/).slice(1).map(Number);
  const [user, nice, system, , , irq, softirq, stolen = 0] = fields;
  return { busy: user + nice + system + irq + softirq + stolen, stolen };
}

/** @param {number} pid @returns {number} the most MB that it was resident since its start @throws when it has ended */
const peakResidentMb = (pid) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;

/** @param {number | 'self'} [pid] @returns {number} its soft limit of descriptors; NaN when there is none or it has just ended */
const openFilesLimit = (pid = 'self') =>
  Number(/^Max open files\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/limits`))?.[1]);

/** @param {number} pid @returns {string[]} what its descriptors are; none when it has just ended, or is another account's */
function descriptorsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  try {
    return fs.readdirSync(folder).flatMap((fd) => nameOf(`${folder}/${fd}`));
  } catch {
    return [];
  }
}

/** @param {string} link @returns {string[]} what it leads to; none when it has just gone, or is another account's */
function nameOf(link) {
  try {
    return [fs.readlinkSync(link)];
  } catch {
    return [];
  }
}

/**
 * @param {number} pid @param {string} name `cwd`, or a namespace
 * @returns {string} what this link of the process leads to; empty when it has just ended, or is another account's
 */
const linkOf = (pid, name) => nameOf(`/proc/${pid}/${name}`)[0] ?? '';

/**
 * @returns {{ local: string, inode: string }[]} sockets on which TCP connections are taken; `local` hexadecimal, the bytes of
 *   the host reversed
 */
const listening = () =>
  ['tcp', 'tcp6']
    .flatMap((file) => readOrNothing(`/proc/net/${file}`).split('\n'))
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === listenState)
    .map(({ 1: local, 9: inode }) => ({ local, inode }));

module.exports = {
  allPids,
  childrenOf,
  descriptorsOf,
  isAlive,
  linkOf,
  listening,
  machineTicks,
  openFilesLimit,
  otherPids,
  parentOf,
  processTree,
  processTicks,
  readOrNothing,
  ticksPerSecond,
  peakResidentMb,
};
