'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { shellLine } = require('../lib/words');

/**
 * Runs a command on a node. A command is an array of words. Tests replace this function.
 * @typedef {import('./inventory').Node} Node
 * @typedef {object} Result
 * @property {number} status
 * @property {string} output its standard output, without banners and warnings of ssh, a shell or psql
 * @property {string} printed all that it printed, for messages
 * @typedef {(node: Node, words: string[], options?: { input?: string | import('node:stream').Readable }) => Promise<Result>} Transport
 */

/**
 * A deploy runs some twenty commands on each node; they share one connection, which saves handshakes. Its socket is worth
 * as much as the key, so it is in a private folder until this process ends.
 * @type {string | undefined}
 */
let sockets;
function socketFolder() {
  if (sockets) return sockets;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-ssh-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return (sockets = folder);
}

/**
 * @param {Node} node @param {string[]} words @param {string} folder of sockets
 * @returns {string[]} BatchMode: a prompt for a password would wait forever
 */
const sshCommand = ({ address }, words, folder) => [
  'ssh',
  ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5', '-o', 'ServerAliveInterval=5'],
  ...['-o', 'ControlMaster=auto', '-o', `ControlPath=${folder}/%C`, '-o', 'ControlPersist=30'],
  // Workers must enter the folders that root makes, and root's umask may be strict.
  ...[`root@${address}`, '--', `umask 022 && ${shellLine(words)}`],
];

/**
 * @param {string[]} command
 * @param {{ input?: string | import('node:stream').Readable, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Result>} status 1 if it could not be started or a signal ended it
 */
function execute([program, ...words], { input, env = environment('ssh') } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'], env });
    let [output, printed] = ['', ''];
    child.stdout.on('data', (data) => (output += data));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
    child.on('error', ({ message }) => resolve({ status: 1, output: '', printed: message }));
    child.on('close', (code) => resolve({ status: code ?? 1, output: output.trim(), printed: printed.trim() }));
    child.stdin.on('error', () => {}); // the status shows that a command ended before it read everything
    if (typeof input === 'object') input.pipe(child.stdin);
    else child.stdin.end(input);
  });
}

/** @type {Transport} */
const overSsh = (node, words, options) => execute(sshCommand(node, words, socketFolder()), options);

/**
 * @param {Transport} transport @param {Node} node @param {string[]} words
 * @param {{ input?: string | import('node:stream').Readable }} [options]
 * @returns {Promise<string>} its output
 * @throws {Error} when the command fails
 */
async function must(transport, node, words, options) {
  const { status, output, printed } = await transport(node, words, options);
  if (status === 0) return output;
  throw new Error(`${node.name}: ${words.slice(0, 4).join(' ')} failed: ${printed.slice(-500)}`);
}

module.exports = { execute, must, overSsh, sshCommand };
