'use strict';
const { once } = require('node:events');
const fs = require('node:fs');

const { waitUntil } = require('../lib/wait-until');

const openTimeoutMs = 5000;

/**
 * Runs code in a running worker, so that it blocks, leaks or throws without a hook in its own code. SIGUSR1 opens Node's
 * inspector on loopback; it is closed again at once. Protocol: https://chromedevtools.github.io/devtools-protocol/v8/Runtime/
 * @param {number} pid
 * @param {string} log in which the worker prints the address of its inspector
 * @param {string} expression
 */
async function runInside(pid, log, expression) {
  const before = fs.statSync(log).size;
  process.kill(pid, 'SIGUSR1');
  const address = () => /ws:\/\/\S+/.exec(fs.readFileSync(log, 'utf8').slice(before))?.[0];
  if (!(await waitUntil(() => Boolean(address()), openTimeoutMs)))
    throw new Error(`worker ${pid} opened no inspector: see ${log}`);
  const socket = new WebSocket(/** @type {string} */ (address()));
  await once(socket, 'open');
  const replied = once(socket, 'message');
  // After the reply, which closing the inspector would suppress.
  const closing = 'setTimeout(() => process.getBuiltinModule("node:inspector").close(), 50)';
  const params = { expression: `${closing}; ${expression}; 0`, returnByValue: true };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  await replied;
  socket.close();
}

module.exports = { runInside };
