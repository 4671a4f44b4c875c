'use strict';
const { once } = require('node:events');
const fs = require('node:fs');

const { waitUntil } = require('../lib/wait-until');

const openTimeoutMs = 5000;

/**
 * Puts a fault into a running worker: it blocks, leaks or throws by its own hand, without any hook for it in the
 * worker's code. SIGUSR1 opens Node's inspector on loopback; it is closed again at once.
 * Protocol: https://chromedevtools.github.io/devtools-protocol/v8/Runtime/
 * @param {number} pid
 * @param {string} log where the worker says on which port it listens
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
  const answered = once(socket, 'message');
  // Behind the answer, or closing the inspector would keep it from coming.
  const closing = 'setTimeout(() => process.getBuiltinModule("node:inspector").close(), 50)';
  const params = { expression: `${closing}; ${expression}; 0`, returnByValue: true };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  await answered;
  socket.close();
}

module.exports = { runInside };
