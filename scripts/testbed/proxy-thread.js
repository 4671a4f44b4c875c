'use strict';
const { once } = require('node:events');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

const { createProxy } = require('./proxy');

/** How often the count of connections is updated. */
const countMs = 20;

/**
 * A proxy in a thread of its own: other work of this process must not look like a slow network. Orders take effect in
 * their order, a moment later.
 * @param {import('node:net').NetConnectOpts} target
 * @returns {Promise<import('./proxy').Proxy>}
 */
async function createProxyThread(target) {
  const accepted = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(__filename, { workerData: { target, accepted } });
  const [port] = /** @type {[number]} */ (await once(thread, 'message'));
  const order =
    (/** @type {string} */ method) =>
    (/** @type {unknown[]} */ ...args) =>
      thread.postMessage({ method, args });
  const methods = ['set', 'hold', 'refuse', 'accept', 'cut', 'retarget', 'heal'];
  return /** @type {any} */ (
    Object.defineProperties(
      {
        port,
        ...Object.fromEntries(methods.map((method) => [method, order(method)])),
        close: () => thread.terminate(),
      },
      { accepted: { get: () => Atomics.load(accepted, 0) } },
    )
  );
}

async function serve() {
  const proxy = /** @type {any} */ (await createProxy(workerData.target));
  setInterval(() => Atomics.store(workerData.accepted, 0, proxy.accepted), countMs);
  parentPort?.on('message', ({ method, args }) => proxy[method](...args));
  parentPort?.postMessage(proxy.port);
}

if (!isMainThread && workerData?.accepted) serve();

module.exports = { createProxyThread };
