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
 */
async function createProxyThread(target) {
  const accepted = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(__filename, { workerData: { target, accepted } });
  const [port] = /** @type {[number]} */ (await once(thread, 'message'));
  const order =
    (/** @type {string} */ method) =>
    (/** @type {unknown[]} */ ...args) =>
      thread.postMessage({ method, args });
  return {
    port,
    /** Connection attempts so far, the refused ones included. */
    get accepted() {
      return Atomics.load(accepted, 0);
    },
    /** @type {(changes: Partial<import('./proxy').Misbehaviour>) => void} */
    set: order('set'),
    /** @type {(held: boolean) => void} */
    hold: order('hold'),
    refuse: order('refuse'),
    accept: order('accept'),
    cut: order('cut'),
    /** @type {(next: import('node:net').NetConnectOpts) => void} */
    retarget: order('retarget'),
    heal: order('heal'),
    close: async () => void (await thread.terminate()),
  };
}

async function serve() {
  const proxy = /** @type {any} */ (await createProxy(workerData.target));
  setInterval(() => Atomics.store(workerData.accepted, 0, proxy.accepted), countMs);
  parentPort?.on('message', ({ method, args }) => proxy[method](...args));
  parentPort?.postMessage(proxy.port);
}

if (!isMainThread && workerData?.accepted) serve();

module.exports = { createProxyThread };
