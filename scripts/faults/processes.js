'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { promisify } = require('node:util');
const { readOrNothing } = require('../lib/proc');

const run = promisify(execFile);
const listenState = '0A'; // TCP_LISTEN in /proc/net/tcp, see proc_net_tcp.txt of the kernel

/** @param {number} pid @returns {string[]} what its descriptors are; none when it has just ended */
function descriptorsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  try {
    return fs.readdirSync(folder).flatMap((fd) => nameOf(`${folder}/${fd}`));
  } catch {
    return [];
  }
}

/** @param {string} descriptor @returns {string[]} none when it was closed meanwhile */
function nameOf(descriptor) {
  try {
    return [fs.readlinkSync(descriptor)];
  } catch {
    return [];
  }
}

/** A file of nginx's cache is named by the MD5 of its key. */
const cachedReply = /\/[0-9a-f]{32}( \(deleted\))?$/;

/**
 * @param {number} pid
 * @returns {{ sockets: number, cached: number, files: number }} cached: replies that nginx keeps open; files: all others
 */
function openDescriptors(pid) {
  const names = descriptorsOf(pid);
  const sockets = names.filter((name) => name.startsWith('socket:')).length;
  const cached = names.filter((name) => cachedReply.test(name)).length;
  return { sockets, cached, files: names.length - sockets - cached };
}

/**
 * The limit of descriptors compares numbers, not how many there are: below this one there is no room.
 * @param {number} pid @returns {number} the number that its next descriptor will have
 */
function nextDescriptor(pid) {
  const taken = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  while (taken.has(next)) next += 1;
  return next;
}

/** @param {number} pid @returns {number} its soft limit of descriptors */
const openFilesLimit = (pid) => Number(/^Max open files\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/limits`))?.[1]);

/** Changes the soft limit only, so that it can be raised again. @param {number} pid @param {number} limit */
const limitOpenFiles = (pid, limit) => run('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);

/** @param {number} pid @returns {number} effective user */
const userOf = (pid) => Number(/^Uid:\s+\d+\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1]);

/** @returns {string[]} of every process of the machine that we may see */
const commandLines = () =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readOrNothing(`/proc/${pid}/cmdline`));

/** @param {number[]} pids @returns {string[]} `127.0.0.1:3030`: where these processes listen, sorted */
function listeners(pids) {
  const inodes = new Set(pids.flatMap(descriptorsOf).flatMap((name) => /^socket:\[(\d+)\]$/.exec(name)?.[1] ?? []));
  const rows = ['tcp', 'tcp6'].flatMap((file) => readOrNothing(`/proc/net/${file}`).split('\n'));
  const found = rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === listenState && inodes.has(fields[9]))
    .map(([, local]) => address(local));
  return [...new Set(found)].sort();
}

/** @param {string} local as /proc/net/tcp writes it: hexadecimal, the bytes of the host reversed */
function address(local) {
  const [host, port] = local.split(':');
  const bytes = (host.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).reverse();
  return `${bytes.length === 4 ? bytes.join('.') : host}:${parseInt(port, 16)}`;
}

module.exports = {
  openDescriptors,
  nextDescriptor,
  openFilesLimit,
  limitOpenFiles,
  userOf,
  commandLines,
  listeners,
};
