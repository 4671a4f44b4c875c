'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const os = require('node:os');
const { join } = require('node:path');

const { freePort } = require('./servers');

const SERVER = join(__dirname, '../../server');

/**
 * A worker as its process manager starts it. Of the test's environment it gets only PATH, and the folder by which `npm test` finds what
 * a failed test left running.
 * @param {Record<string, string | number | undefined>} settings @param {'index.js' | 'writer/index.js'} [program]
 */
function startWorker(settings, program = 'index.js') {
  const all = { PATH: process.env.PATH, TMPDIR: os.tmpdir(), LOG_LEVEL: 'info', DRAIN_GRACE_MS: 50, ...settings };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
  const child = spawn(process.execPath, [join(SERVER, program)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return { child, exited: once(child, 'close'), output: () => output };
}

/**
 * The same on free ports, once it has reported to its process manager that it is ready.
 * @param {Record<string, string | number | undefined>} settings
 */
async function startReadyWorker(settings) {
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const worker = startWorker({ PORT, ADMIN_PORT, ...settings });
  const [message] = await once(worker.child, 'message');
  return { ...worker, message, url: `http://127.0.0.1:${PORT}`, adminUrl: `http://127.0.0.1:${ADMIN_PORT}` };
}

module.exports = { startReadyWorker, startWorker };
