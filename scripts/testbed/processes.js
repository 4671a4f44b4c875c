'use strict';
const fs = require('node:fs');

const { allPids, descriptorsOf, listening, readOrNothing } = require('../lib/proc');
const { runOrThrow } = require('../lib/run');

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
 * The limit of descriptors compares numbers, not how many are open: below this one there is no room.
 * @param {number} pid @returns {number} the number that its next descriptor will have
 */
function nextDescriptor(pid) {
  const taken = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  while (taken.has(next)) next += 1;
  return next;
}

/** Changes the soft limit only, so that it can be raised again. @param {number} pid @param {number} limit */
const limitOpenFiles = (pid, limit) => runOrThrow(['prlimit', '--pid', String(pid), `--nofile=${limit}:`]);

/** @param {number} pid @returns {number} effective user */
const userOf = (pid) => Number(/^Uid:\s+\d+\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1]);

/** @returns {string[]} of every visible process of the machine */
const commandLines = () => allPids().map((pid) => readOrNothing(`/proc/${pid}/cmdline`));

/** @param {number[]} pids @returns {string[]} `127.0.0.1:3030`: where these processes listen */
function listeners(pids) {
  const inodes = new Set(pids.flatMap(descriptorsOf).flatMap((name) => /^socket:\[(\d+)\]$/.exec(name)?.[1] ?? []));
  const found = listening().filter(({ inode }) => inodes.has(inode));
  return [...new Set(found.map(({ local }) => address(local)))];
}

/** @param {string} local as listening() has it */
function address(local) {
  const [host, port] = local.split(':');
  const bytes = (host.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).reverse();
  return `${bytes.length === 4 ? bytes.join('.') : host}:${parseInt(port, 16)}`;
}

module.exports = { commandLines, limitOpenFiles, listeners, nextDescriptor, openDescriptors, userOf };
