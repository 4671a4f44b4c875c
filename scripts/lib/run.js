'use strict';
const { spawn } = require('node:child_process');
const { environment } = require('./environment');
const { stopPid } = require('./process');
const { root } = require('./runtime');
const { shellLine } = require('./words');

const toolStopMs = 10_000;

/**
 * @typedef {object} RunOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cwd] default the clone
 * @property {AbortSignal} [signal] stops it, with everything that it started
 * @property {boolean} [keepOutput] return what it printed instead of showing it
 * @property {(pid: number) => void} [onStart]
 */

/**
 * Runs a command (an array of words, never a shell line) to its end, in its own process group: Ctrl-C reaches only us.
 * @param {string[]} command @param {RunOptions} [options]
 * @returns {Promise<{ status: number, killer: NodeJS.Signals | null, output: string }>} status 1 when a signal ended it
 */
function runTool([program, ...args], { env = environment('tool'), cwd = root, signal, keepOutput, onStart } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = keepOutput ? 'pipe' : 'inherit';
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', stdio, stdio] });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const { pid } = child;
    const stop = () => pid && void stopPid(pid, 'SIGTERM', toolStopMs, { group: true });
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    if (pid) onStart?.(pid);
    child.on('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`)));
    child.on('close', (code, killer) => {
      signal?.removeEventListener('abort', stop);
      resolve({ status: code ?? 1, killer, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/**
 * Runs a command of the loader. Its last line says why it failed, unless a signal ended it.
 * @param {string[]} command
 * @param {Pick<RunOptions, 'cwd' | 'signal'> & { env: NodeJS.ProcessEnv }} options env of fromCallersFolder
 * @returns {Promise<number>} its exit status
 */
async function runLoading(command, options) {
  const { status, killer } = await runTool(command, options);
  if (!killer || options.signal?.aborted) return status;
  const again = options.env.CATALOG_COMMAND;
  throw new Error(`the loader was killed (${killer}), perhaps for lack of memory: type ${again} again`);
}

/**
 * @param {string[]} command @param {NodeJS.ProcessEnv} [env] besides what a loader gets
 * @param {Omit<RunOptions, 'env'>} [options] @returns {Promise<string>} what it printed, where that is kept
 * @throws when it fails, with what it printed
 */
async function runOrThrow(command, env, options = { keepOutput: true }) {
  const { status, killer, output } = await runTool(command, { ...options, env: environment('loader', env) });
  const failure = `${shellLine(command)} ended with ${killer ?? `status ${status}`}`;
  if (status !== 0) throw new Error(output ? `${failure}:\n${output}` : failure);
  return output;
}

module.exports = { runLoading, runOrThrow, runTool };
