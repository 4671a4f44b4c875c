'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { carriesMark, childrenOf, isAlive, linkOf, otherPids } = require('../lib/proc');
const { spawnDaemon } = require('../lib/process');
const { root } = require('../lib/runtime');
const { execute } = require('../fleet/transport');
const { waitUntil } = require('../lib/wait-until');
const { client } = require('./topology');

/*
 * Machines out of namespaces. The room is one process with a mount and a network namespace: it holds the switch (a
 * bridge), the nodes' folders (in memory) and the client's address. A node is one process with namespaces of its own,
 * started from the room. Nothing is made outside of them, so ending the processes removes everything.
 */

const startTimeoutMs = 10_000;
const markName = 'CATALOG_CLUSTER';

/**
 * @typedef {object} Machines
 * @property {string} dir of the cluster
 * @property {number} room
 * @property {Record<string, number>} pids of the nodes' first processes, by name
 */

/** @param {number} pid @param {string[]} namespaces options of nsenter @param {string[]} words */
const inside = (pid, namespaces, words) => ['nsenter', '-t', String(pid), ...namespaces, '--', ...words];
const roomSpaces = ['-m', '-n'];
const nodeSpaces = ['-m', '-u', '-i', '-n', '-p', '-r', '-w'];

/** @param {Machines} machines @param {string[]} words @returns {string[]} the command, run on the client's side */
const fromClient = ({ room }, words) => inside(room, ['-n'], words);

/** @param {Machines} machines @param {string} name @param {string[]} words */
const onNode = ({ pids }, name, words) => inside(pids[name], nodeSpaces, words);

/** @param {string[]} command */
async function run(command) {
  const { status, printed } = await execute(command);
  if (status !== 0) throw new Error(`${command.join(' ')}: ${printed}`);
}

/** @param {string} dir @param {string[]} command @returns {Promise<number>} its pid */
async function launch(dir, command) {
  const env = environment('server', { [markName]: dir }); // with TMPDIR, by which `npm test` finds what an interrupted run left
  return (await spawnDaemon(command, { log: path.join(dir, 'cluster.log'), env })).pid;
}

/** @param {string} dir @returns {Promise<Machines>} */
async function openRoom(dir) {
  const fsDir = path.join(dir, 'fs');
  const ready = path.join(dir, 'ready');
  fs.mkdirSync(fsDir, { recursive: true, mode: 0o700 });
  fs.rmSync(ready, { force: true });
  const script = `mount -t tmpfs -o mode=711 tmpfs "$1" && ip link set lo up && ip link add br0 type bridge &&
    ip addr add ${client}/24 dev br0 && ip link set br0 up && touch "$2" && exec sleep infinity`;
  const room = await launch(dir, ['unshare', '--mount', '--net', 'sh', '-c', script, 'room', fsDir, ready]);
  if (!(await waitUntil(() => fs.existsSync(ready) || !isAlive(room), startTimeoutMs)) || !isAlive(room)) {
    throw new Error(`the cluster's network did not come up: see ${path.join(dir, 'cluster.log')}`);
  }
  return { dir, room, pids: {} };
}

/**
 * Switches a node on. Its folder is what it was when it was last on.
 * @param {Machines} machines @param {import('../fleet/inventory').Node} node
 */
async function powerOn(machines, { name, address }) {
  const folder = path.join(machines.dir, 'fs', name);
  const seen = path.join('/proc', String(machines.room), 'root', folder, 'ready');
  fs.rmSync(seen, { force: true });
  const init = ['bash', path.join(__dirname, 'node-init.sh'), folder, name, root];
  const spaces = ['unshare', '--net', '--pid', '--mount', '--uts', '--ipc', '--fork', '--kill-child'];
  const outer = await launch(machines.dir, inside(machines.room, roomSpaces, [...spaces, ...init]));
  // A link of /proc/PID/root shows what that process sees mounted, where the node's folder is.
  if (!(await waitUntil(() => fs.existsSync(seen) || !isAlive(outer), startTimeoutMs)) || !isAlive(outer)) {
    throw new Error(`${name} did not start: see ${path.join(machines.dir, 'cluster.log')}`);
  }
  const [pid] = childrenOf(outer);
  Object.assign(machines.pids, { [name]: pid });
  const ip = (/** @type {string} */ words) => run(fromClient(machines, ['ip', ...words.split(' ')]));
  await ip(`link add ${name} type veth peer name eth0 netns ${pid}`);
  await ip(`link set ${name} master br0 up`);
  await run(inside(pid, ['-n'], ['ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0']));
  await run(inside(pid, ['-n'], ['ip', 'link', 'set', 'eth0', 'up']));
}

/** Every process of a node, seen from outside. @param {Machines} machines @param {string} name @returns {number[]} */
function processesOf({ pids }, name) {
  const space = fs.readlinkSync(`/proc/${pids[name]}/ns/pid`);
  return otherPids().filter((pid) => linkOf(pid, 'ns/pid') === space);
}

/** SIGKILL to the first process of a node: a power cut. @param {Machines} machines @param {string} name */
async function cutPower(machines, name) {
  const pids = processesOf(machines, name);
  process.kill(machines.pids[name], 'SIGKILL');
  await waitUntil(() => !pids.some(isAlive), startTimeoutMs);
  await execute(fromClient(machines, ['ip', 'link', 'del', name])); // gone already when the kernel was faster
}

/** @param {string} dir @returns {Promise<number>} how many processes of a cluster were ended, also of one that crashed */
async function endAll(dir) {
  const ours = otherPids().filter((pid) => carriesMark(pid, `${markName}=${dir}`));
  for (const pid of ours) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // its node's first process took it along
    }
  }
  await waitUntil(() => !ours.some(isAlive), startTimeoutMs);
  fs.rmSync(dir, { recursive: true, force: true });
  return ours.length;
}

module.exports = { cutPower, endAll, fromClient, onNode, openRoom, powerOn, processesOf };
