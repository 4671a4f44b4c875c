'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isAlive, otherPids, parentOf, readOrNothing } = require('../../scripts/lib/proc');
const { root } = require('../../scripts/lib/runtime');
const { describeState } = require('../../scripts/local/state');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { freePort } = require('./servers');

const startTimeoutMs = 90_000;
const stopTimeoutMs = 60_000;

/** @returns {string} a state folder that does not exist yet */
const newState = () => path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'stack-')), 'state');

/** @typedef {Record<'port' | 'worker-port' | 'admin-port' | 'write-port', number>} Ports of a stack, by option */

/** @returns {Promise<Ports>} for two workers, and for the two listeners of the writer */
async function freePorts() {
  const first = await freePort(7);
  return { port: first, 'worker-port': first + 1, 'admin-port': first + 3, 'write-port': first + 5 };
}

/**
 * @typedef {object} Started
 * @property {import('node:child_process').ChildProcess} child
 * @property {() => string} output all that it printed so far
 * @property {Promise<number | NodeJS.Signals>} ended
 */

/**
 * `npm start` without npm, in an environment without other servers.
 * @param {string[]} words @param {NodeJS.ProcessEnv} [env] @param {string[]} [script] or the bootstrap, with the command
 * @param {string} [shell] commands of a shell that begin it
 * @returns {Started}
 */
function runStart(words, env = {}, script = ['start.js'], shell = '') {
  const { DATABASE_URL, REDIS_URL, API_DATABASE_URL, ...rest } = process.env;
  const start = [process.execPath, path.join(root, 'scripts', script[0]), ...script.slice(1)];
  const [program, ...args] = shell ? ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...start] : start;
  const child = spawn(program, [...args, ...words], {
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  return { child, output: () => text, ended };
}

/**
 * @typedef {object} Stack
 * @property {string} url
 * @property {string} state
 * @property {Ports} ports
 * @property {Started} up
 * @property {(signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>} stop its exit status
 */

/**
 * Starts a stack of two workers with a small sample and waits for its ready line.
 * @param {{ state?: string, words?: string[], env?: NodeJS.ProcessEnv, script?: string[], shell?: string }} [options]
 * @returns {Promise<Stack>}
 */
async function startStack({ state = newState(), words = [], env, script, shell } = {}) {
  const ports = await freePorts();
  const numbers = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, String(port)]);
  const fixed = ['--state', state, '--workers', '2', '--products', '500'];
  const up = runStart([...fixed, ...numbers, ...words], env, script, shell);
  const url = `http://127.0.0.1:${ports.port}`;
  let over = false;
  up.ended.then(() => (over = true));
  const ready = () => up.output().includes(`ready ${url}\n`);
  await waitUntil(() => over || ready(), startTimeoutMs);
  if (!ready()) {
    up.child.kill('SIGTERM');
    throw new Error(`the stack did not become ready:\n${up.output()}`);
  }
  /** @type {Stack['stop']} */
  const stop = async (signal = 'SIGTERM') => {
    up.child.kill(signal);
    await waitUntil(() => over, stopTimeoutMs);
    return up.ended;
  };
  return { url, state, ports, up, stop };
}

/**
 * Servers name our folder in their title, PM2's workers in their environment.
 * @param {number} pid @param {string} mark a folder; ".state" is no part of ".state-bench"
 */
function carriesMark(pid, mark) {
  if (!isAlive(pid)) return false;
  const text = Buffer.from(mark).toString('latin1');
  return ['cmdline', 'environ'].some((file) => {
    const said = readOrNothing(`/proc/${pid}/${file}`);
    return said.includes(`${text}/`) || said.includes(`${text}\0`);
  });
}

/** @param {string} state @returns {number[]} all processes that still belong to a state folder */
function pidsOf(state) {
  const { dir, run } = describeState(state);
  return otherPids().filter((pid) => [dir, run].some((mark) => carriesMark(pid, mark)));
}

/** @param {string} state @returns {string[]} their command lines */
const processesOf = (state) => pidsOf(state).map((pid) => `${pid} ${readOrNothing(`/proc/${pid}/cmdline`)}`);

/**
 * @param {string} state @param {'postgres' | 'valkey' | 'nginx' | 'pm2'} name
 * @returns {number} the first process of the server; NaN when it does not run
 */
function pidOf(state, name) {
  const titleOf = (/** @type {number} */ pid) => readOrNothing(`/proc/${pid}/comm`).toLowerCase();
  const isFirst = (/** @type {number} */ pid) =>
    titleOf(pid).startsWith(name) && titleOf(parentOf(pid)) !== titleOf(pid);
  return Number(pidsOf(state).find(isFirst));
}

/** @param {string} state @returns {number[]} of the workers */
function workerPids(state) {
  const folder = path.join(describeState(state).pm2, 'pids');
  return fs.readdirSync(folder).map((file) => Number(fs.readFileSync(path.join(folder, file))));
}

module.exports = { carriesMark, startStack, runStart, newState, freePorts, processesOf, pidOf, workerPids };
