'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');

const WORKER = join(__dirname, '../../server/index.js');

/**
 * A worker as its process manager starts it: nothing of the test's environment but PATH.
 * @param {Record<string, string | number | undefined>} settings
 */
function startWorker(settings) {
  const all = { PATH: process.env.PATH, LOG_LEVEL: 'info', DRAIN_GRACE_MS: 50, ...settings };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
  const child = spawn(process.execPath, [WORKER], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return { child, exited: once(child, 'exit'), output: () => output };
}

module.exports = { startWorker };
