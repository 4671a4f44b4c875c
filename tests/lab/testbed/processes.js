'use strict';
const { spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');

const { environment } = require('../../../scripts/lib/environment');
const { allPids, descriptorsOf, listening, readOrNothing } = require('../../../scripts/lib/proc');
const { signalRunning } = require('../../../scripts/lib/process');
const { runOrThrow } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');

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

/** Memory and descriptors of a process at some moment. @typedef {{ atMs: number, memoryMb: number } & ReturnType<typeof openDescriptors>} Sample */

/**
 * The memory of processes follows the traffic and the faults, so a slope through it is chance. What is never given back raises
 * the lowest value.
 * @param {Sample[][]} lives of processes @param {'memoryMb' | 'sockets' | 'files'} name
 * @returns {number} the largest rise of a process, from the lowest value of its first third to that of its last; NaN when
 *   none lived long enough
 */
function leastGained(lives, name) {
  const least = (/** @type {Sample[]} */ part) => Math.min(...part.map((one) => one[name]));
  const gains = lives.flatMap((samples) => {
    const third = Math.floor(samples.length / 3);
    return third ? [least(samples.slice(-third)) - least(samples.slice(0, third))] : [];
  });
  return gains.length ? Math.max(...gains) : NaN;
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

/** @returns {string | false} why there are no certificates here */
const needsOpenssl = () =>
  spawnSync('openssl', ['version'], { env: environment('server') }).status !== 0 &&
  'needs openssl: apt-get install openssl';

const inspectorTimeoutMs = 5000;

/**
 * Runs code in a running worker, so that it blocks, leaks or throws without a hook in its own code. SIGUSR1 opens Node's
 * inspector on loopback; it is closed again at once. Protocol: https://chromedevtools.github.io/devtools-protocol/v8/Runtime/
 * @param {number} pid
 * @param {string} log in which the worker prints the address of its inspector
 * @param {string} expression @returns {Promise<any>} its value, if that is no object
 */
async function runInside(pid, log, expression) {
  const before = fs.statSync(log).size;
  signalRunning('the worker', pid, 'SIGUSR1');
  const inspector = () => /ws:\/\/\S+/.exec(fs.readFileSync(log, 'utf8').slice(before))?.[0];
  if (!(await waitUntil(() => Boolean(inspector()), inspectorTimeoutMs)))
    throw new Error(`worker ${pid} opened no inspector: see ${log}`);
  const socket = new WebSocket(/** @type {string} */ (inspector()));
  await once(socket, 'open');
  const replied = once(socket, 'message');
  // After the reply, which closing the inspector would suppress.
  const closing = 'setTimeout(() => process.getBuiltinModule("node:inspector").close(), 50)';
  const params = { expression: `${closing}; ${expression}` };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  const [{ data }] = await replied;
  socket.close();
  return JSON.parse(data).result.result.value;
}

module.exports = {
  commandLines,
  leastGained,
  limitOpenFiles,
  listeners,
  needsOpenssl,
  nextDescriptor,
  openDescriptors,
  runInside,
};
